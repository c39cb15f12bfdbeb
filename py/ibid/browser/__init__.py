"""The browser's side of the ports: the only package that imports ``js``, ``pyodide`` and ``pyscript``."""
