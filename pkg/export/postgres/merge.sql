-- Two pushes of one host wait for each other.
DO $clawctl$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('clawctl ' || current_schema() || ' ' || :host, 0));
END $clawctl$;
ANALYZE clawctl_sessions;
ANALYZE clawctl_messages;

INSERT INTO sessions AS s (host, key, created_at, updated_at, metadata)
  SELECT :host, key, created_at, updated_at, metadata FROM clawctl_sessions
  ON CONFLICT (host, key) DO UPDATE
  SET created_at = excluded.created_at, updated_at = excluded.updated_at, metadata = excluded.metadata
  WHERE (s.created_at, s.updated_at, s.metadata::text)
    IS DISTINCT FROM (excluded.created_at, excluded.updated_at, excluded.metadata::text);

-- A session that was read to its end has no other lines. One that was not keeps those of an earlier push.
DELETE FROM messages AS m USING clawctl_sessions AS n
  WHERE m.host = :host AND m.session_key = n.key AND n.complete AND m.record > n.lines;

INSERT INTO messages AS m (host, :columns)
  SELECT :host, :columns FROM clawctl_messages
  ON CONFLICT (host, session_key, record) DO UPDATE
  SET (:columns) = ROW (:excluded)
  WHERE (:stored) IS DISTINCT FROM (:compared);

-- The text of a session that is not part of this push may be in another one now, such as an archive. It counts once.
UPDATE messages AS m SET status = 'copy'
  FROM clawctl_messages AS n
  WHERE m.host = :host AND m.status = 'counted' AND n.status = 'counted'
    AND m.record = n.record AND m.id = n.id AND m.data::text = n.data::text
    AND NOT EXISTS (SELECT FROM clawctl_sessions AS s WHERE s.key = m.session_key);

COMMIT;
