/** What a content policy has blocked on this page, for naming it where the engine does not start. */

/** @type {{directive: string, what: string} | null} */
let first = null;

document.addEventListener('securitypolicyviolation', (event) => {
  if (event.disposition === 'enforce')
    first ??= { directive: event.effectiveDirective, what: event.blockedURI };
});

/** The first thing that was blocked, or null. */
export function blockedByPolicy() {
  return first;
}
