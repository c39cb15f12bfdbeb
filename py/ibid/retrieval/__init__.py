"""Query -> hits: BM25F postings and chunk vectors, fused."""
