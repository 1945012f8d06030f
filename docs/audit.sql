-- Audits the manifests of a whole fleet (docs/manifest.schema.json), with DuckDB:
--
--   duckdb -cmd "SET VARIABLE manifests = '/backup/*/_tailrace/manifests/*.jsonl'" < docs/audit.sql
--
-- The variable may name an s3:// or https:// pattern as well. What is printed is what is wrong; nothing means that of each
-- file and epoch no range is missing and none is there twice. Whether the objects hold those bytes, `tailrace audit --deep` says.

WITH lines AS (
    SELECT *, row_number() OVER () AS line
    FROM read_json(
        getvariable('manifests'),
        format = 'newline_delimited', ignore_errors = true, filename = true,
        columns = {
            batch: 'VARCHAR', host: 'VARCHAR', source: 'VARCHAR', key: 'VARCHAR', key_hex: 'VARCHAR',
            position: 'BIGINT', length: 'BIGINT', crc32c: 'VARCHAR', sealed_at: 'VARCHAR',
            extents: 'STRUCT(file VARCHAR, file_hex VARCHAR, identity VARCHAR, epoch INTEGER, "from" BIGINT, "to" BIGINT)[]'})
    WHERE batch IS NOT NULL -- a line that a crash has torn
),
-- a line that begins where others of its key were, or before, has overwritten those
valid AS (
    SELECT *
    FROM lines
    QUALIFY position < coalesce(
        min(position) OVER (
            PARTITION BY filename, coalesce(key, key_hex) ORDER BY line
            ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
        position + 1)
),
parts AS (
    SELECT host, source, extent.identity, extent.epoch, coalesce(extent.file, extent.file_hex) AS file,
        extent."from" AS start, extent."to" AS stop
    FROM (SELECT host, source, unnest(extents) AS extent FROM valid)
),
ranges AS (
    SELECT *,
        coalesce(max(stop) OVER (
            PARTITION BY host, source, identity, epoch ORDER BY start, stop
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS expected
    FROM parts
),
ends AS (SELECT DISTINCT host, source, identity, stop FROM parts)
SELECT host, source, file, identity, epoch, 'missing' AS problem, expected AS "from", start AS "to"
FROM ranges
WHERE start > expected
    -- a copy that a copytruncate rotation made goes on where its original was left
    AND NOT (expected = 0 AND EXISTS (
        SELECT 1 FROM ends
        WHERE ends.host = ranges.host AND ends.source = ranges.source AND ends.stop = ranges.start
            AND ends.identity <> ranges.identity))
UNION ALL
SELECT host, source, file, identity, epoch, 'twice', start, least(expected, stop)
FROM ranges
WHERE start < expected
ORDER BY host, source, file, epoch, "from";
