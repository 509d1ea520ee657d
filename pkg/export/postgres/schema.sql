DO $clawctl$
DECLARE
  place text := current_schema();
  made  text; -- the comment of the table
  all_columns boolean; -- the table has those that were added later
BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'the encoding of the database must be UTF8, got %', current_setting('server_encoding');
  ELSIF place IS NULL THEN
    RAISE EXCEPTION 'no schema of the search path exists'
      USING HINT = 'psql -c "CREATE SCHEMA IF NOT EXISTS public"';
  END IF;
  FOR attempt IN 1..2 LOOP
    -- This reads the catalog itself, because functions such as to_regclass may answer from an old cache.
    SELECT coalesce(obj_description(c.oid, 'pg_class'), ''),
        EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'cost_known')
      INTO made, all_columns
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = place AND c.relname IN ('messages', 'sessions') ORDER BY c.relname LIMIT 1;
    IF made = ':version' AND all_columns THEN
      RETURN;
    ELSIF made <> ':version' AND made LIKE 'clawctl schema %' THEN
      RAISE EXCEPTION 'the tables in schema % were made by another version of clawctl', place
        USING HINT = 'use the newest clawctl on every host, or another schema';
    ELSIF made <> ':version' THEN
      RAISE EXCEPTION 'schema % has a table sessions or messages of another program', place
        USING HINT = 'psql -c "CREATE SCHEMA clawctl", and then PGOPTIONS="-c search_path=clawctl" psql';
    END IF;
    -- Only one of several hosts makes the tables. The others wait here, and look again.
    PERFORM pg_advisory_xact_lock(hashtextextended('clawctl ' || place, 0));
  END LOOP;

  IF made IS NULL THEN
    CREATE TABLE sessions (
      host       text   NOT NULL,
      key        text   NOT NULL,
      created_at bigint NOT NULL, -- milliseconds since 1970, as all times
      updated_at bigint NOT NULL,
      metadata   json   NOT NULL,
      PRIMARY KEY (host, key)
    );
    CREATE TABLE messages (
      host        text    NOT NULL,
      session_key text    NOT NULL,
      record      bigint  NOT NULL, -- the number of the line, from 1
      id          text    NOT NULL,
      parent_id   text,
      type        text    NOT NULL,
      timestamp   bigint  NOT NULL, -- of the record, or of the last one before it that has a time
      data        json,             -- the line
      raw         bytea,            -- the bytes of the line, if data and a newline are not exactly these
      status      text    NOT NULL, -- counted, or why stats does not count the record: copy, mirror, illegible
      kind        text,             -- of the paid work
      provider    text,
      model       text,
      tool        text,             -- of a tool result
      calls       text[],           -- the tools that the record calls
      messages    integer NOT NULL,
      turns       integer NOT NULL,
      tool_calls  integer NOT NULL,
      tool_errors integer NOT NULL,
      input       bigint  NOT NULL,
      output      bigint  NOT NULL,
      cache_read  bigint  NOT NULL,
      cache_write bigint  NOT NULL,
      total       bigint  NOT NULL,
      cost_usd    numeric,
      PRIMARY KEY (host, session_key, record),
      FOREIGN KEY (host, session_key) REFERENCES sessions ON DELETE CASCADE
    );
    CREATE INDEX messages_time ON messages (host, session_key, timestamp);
    CREATE INDEX messages_parent ON messages (host, session_key, parent_id);
    COMMENT ON TABLE messages IS ':version';
  END IF;
  -- These columns came later. An older clawctl leaves them null, and so do rows that it has pushed.
  ALTER TABLE messages
    ADD COLUMN answers        integer,
    ADD COLUMN failed_answers integer, -- answers that ended with an error or were interrupted
    ADD COLUMN usage_known    boolean, -- the paid work of the record has tokens, even if these are 0
    ADD COLUMN cost_known     boolean; -- it has a price, even if that is $0

  CREATE OR REPLACE VIEW totals AS
    SELECT host, :sums FROM messages WHERE status = 'counted' GROUP BY 1;
  CREATE OR REPLACE VIEW totals_by_day AS
    SELECT host, CASE timestamp WHEN 0 THEN 'undated'
      ELSE to_char(to_timestamp(timestamp / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD') END AS day, :sums
    FROM messages WHERE status = 'counted' GROUP BY 1, 2;
  CREATE OR REPLACE VIEW totals_by_model AS
    SELECT host, model, :work_sums FROM messages WHERE status = 'counted' AND model IS NOT NULL GROUP BY 1, 2;
  CREATE OR REPLACE VIEW totals_by_kind AS
    SELECT host, kind, :work_sums FROM messages WHERE status = 'counted' AND kind IS NOT NULL GROUP BY 1, 2;
  CREATE OR REPLACE VIEW totals_by_agent AS
    SELECT host, agent, :sums
    FROM messages JOIN (SELECT host, key AS session_key, metadata->>'agent' AS agent FROM sessions OFFSET 0) AS s
      USING (host, session_key)
    WHERE status = 'counted' GROUP BY 1, 2;
  CREATE OR REPLACE VIEW totals_by_tool AS
    SELECT host, tool, sum(calls) AS tool_calls, sum(errors) AS tool_errors
    FROM (
      SELECT host, tool, 0 AS calls, tool_errors AS errors
      FROM messages WHERE status = 'counted' AND tool IS NOT NULL
      UNION ALL
      SELECT host, unnest(calls), 1, 0 FROM messages WHERE status = 'counted'
    ) AS work
    GROUP BY 1, 2;
  -- Every line of every session. The first row of a session also says how many there are.
  CREATE OR REPLACE VIEW transcript_lines AS
    SELECT s.host, s.key AS session_key, coalesce(m.record, 0) AS record,
      CASE WHEN m.record > 1 THEN NULL ELSE
        (SELECT count(*) FROM messages AS l WHERE l.host = s.host AND l.session_key = s.key) END AS lines,
      CASE WHEN m.record > 1 THEN NULL ELSE s.metadata END AS metadata,
      coalesce(m.raw, convert_to(m.data::text || E'\n', 'UTF8')) AS line
    FROM sessions AS s LEFT JOIN messages AS m ON m.host = s.host AND m.session_key = s.key;
END
$clawctl$;
