\set ON_ERROR_STOP on
\set QUIET on
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL client_encoding = 'UTF8';
SET LOCAL client_min_messages = 'warning';
SET LOCAL standard_conforming_strings = on;
DO $clawctl$
DECLARE
  place text := current_schema();
  made  text; -- the comment of the table
BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'the encoding of the database must be UTF8, got %', current_setting('server_encoding');
  ELSIF place IS NULL THEN
    RAISE EXCEPTION 'no schema of the search path exists'
      USING HINT = 'psql -c "CREATE SCHEMA IF NOT EXISTS public"';
  END IF;
  FOR attempt IN 1..2 LOOP
    -- This reads the catalog itself, because functions such as to_regclass may answer from an old cache.
    SELECT coalesce(obj_description(c.oid, 'pg_class'), '') INTO made
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = place AND c.relname IN ('messages', 'sessions') ORDER BY c.relname LIMIT 1;
    IF made = 'clawctl schema 1' THEN
      RETURN;
    ELSIF made LIKE 'clawctl schema %' THEN
      RAISE EXCEPTION 'the tables in schema % were made by another version of clawctl', place
        USING HINT = 'use the newest clawctl on every host, or another schema';
    ELSIF made IS NOT NULL THEN
      RAISE EXCEPTION 'schema % has a table sessions or messages of another program', place
        USING HINT = 'psql -c "CREATE SCHEMA clawctl", and then PGOPTIONS="-c search_path=clawctl" psql';
    END IF;
    -- Only one of several hosts makes the tables. The others wait here, and look again.
    PERFORM pg_advisory_xact_lock(hashtextextended('clawctl ' || place, 0));
  END LOOP;

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

  CREATE VIEW totals AS
    SELECT host, count(DISTINCT session_key) AS sessions, count(*) AS records, sum(messages) AS messages, sum(turns) AS turns, sum(tool_calls) AS tool_calls, sum(tool_errors) AS tool_errors, sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(total) AS total, round(sum(cost_usd), 9) AS cost_usd FROM messages WHERE status = 'counted' GROUP BY 1;
  CREATE VIEW totals_by_day AS
    SELECT host, CASE timestamp WHEN 0 THEN 'undated'
      ELSE to_char(to_timestamp(timestamp / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD') END AS day, count(DISTINCT session_key) AS sessions, count(*) AS records, sum(messages) AS messages, sum(turns) AS turns, sum(tool_calls) AS tool_calls, sum(tool_errors) AS tool_errors, sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(total) AS total, round(sum(cost_usd), 9) AS cost_usd
    FROM messages WHERE status = 'counted' GROUP BY 1, 2;
  CREATE VIEW totals_by_model AS
    SELECT host, model, count(DISTINCT session_key) AS sessions, count(*) AS records, sum(messages) AS messages, sum(tool_calls) AS tool_calls, sum(tool_errors) AS tool_errors, sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(total) AS total, round(sum(cost_usd), 9) AS cost_usd FROM messages WHERE status = 'counted' AND model IS NOT NULL GROUP BY 1, 2;
  CREATE VIEW totals_by_kind AS
    SELECT host, kind, count(DISTINCT session_key) AS sessions, count(*) AS records, sum(messages) AS messages, sum(tool_calls) AS tool_calls, sum(tool_errors) AS tool_errors, sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(total) AS total, round(sum(cost_usd), 9) AS cost_usd FROM messages WHERE status = 'counted' AND kind IS NOT NULL GROUP BY 1, 2;
  CREATE VIEW totals_by_agent AS
    SELECT host, agent, count(DISTINCT session_key) AS sessions, count(*) AS records, sum(messages) AS messages, sum(turns) AS turns, sum(tool_calls) AS tool_calls, sum(tool_errors) AS tool_errors, sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(total) AS total, round(sum(cost_usd), 9) AS cost_usd
    FROM messages JOIN (SELECT host, key AS session_key, metadata->>'agent' AS agent FROM sessions OFFSET 0) AS s
      USING (host, session_key)
    WHERE status = 'counted' GROUP BY 1, 2;
  CREATE VIEW totals_by_tool AS
    SELECT host, tool, sum(calls) AS tool_calls, sum(errors) AS tool_errors
    FROM (
      SELECT host, tool, 0 AS calls, tool_errors AS errors
      FROM messages WHERE status = 'counted' AND tool IS NOT NULL
      UNION ALL
      SELECT host, unnest(calls), 1, 0 FROM messages WHERE status = 'counted'
    ) AS work
    GROUP BY 1, 2;
  -- Every line of every session. The first row of a session also says how many there are.
  CREATE VIEW transcript_lines AS
    SELECT s.host, s.key AS session_key, coalesce(m.record, 0) AS record,
      CASE WHEN m.record > 1 THEN NULL ELSE
        (SELECT count(*) FROM messages AS l WHERE l.host = s.host AND l.session_key = s.key) END AS lines,
      CASE WHEN m.record > 1 THEN NULL ELSE s.metadata END AS metadata,
      coalesce(m.raw, convert_to(m.data::text || E'\n', 'UTF8')) AS line
    FROM sessions AS s LEFT JOIN messages AS m ON m.host = s.host AND m.session_key = s.key;

  COMMENT ON TABLE messages IS 'clawctl schema 1';
END
$clawctl$;

CREATE TEMPORARY TABLE clawctl_messages (LIKE messages) ON COMMIT DROP;
ALTER TABLE clawctl_messages DROP COLUMN host;
CREATE TEMPORARY TABLE clawctl_sessions (key text, created_at bigint, updated_at bigint, metadata json, lines bigint,
  complete boolean) ON COMMIT DROP;
COPY clawctl_messages (session_key, record, id, parent_id, type, timestamp, data, raw, status, kind, provider, model, tool, calls, messages, turns, tool_calls, tool_errors, input, output, cache_read, cache_write, total, cost_usd) FROM STDIN;
agent:main:recovered:openclaw-v3	1	fb25f512-0938-4323-aa13-0446d1a9fb74	\N	session	1777885200000	{"type":"session","version":3,"id":"fb25f512-0938-4323-aa13-0446d1a9fb74","timestamp":"2026-05-04T09:00:00.000Z","cwd":"/home/ada/pantry"}	\N	counted	\N	\N	\N	\N	\N	0	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	2	7570b3a1	\N	model_change	1777885200406	{"type":"model_change","id":"7570b3a1","parentId":null,"timestamp":"2026-05-04T09:00:00.406Z","provider":"anthropic","modelId":"claude-sonnet-4-5"}	\N	counted	\N	\N	\N	\N	\N	0	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	3	499a13f1	7570b3a1	thinking_level_change	1777885200906	{"type":"thinking_level_change","id":"499a13f1","parentId":"7570b3a1","timestamp":"2026-05-04T09:00:00.906Z","thinkingLevel":"low"}	\N	counted	\N	\N	\N	\N	\N	0	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	4	8cedf20a	499a13f1	custom	1777885201195	{"type":"custom","customType":"model-snapshot","data":{"timestamp":1777885200926,"provider":"anthropic","modelApi":"anthropic-messages","modelId":"claude-sonnet-4-5"},"id":"8cedf20a","parentId":"499a13f1","timestamp":"2026-05-04T09:00:01.195Z"}	\N	counted	\N	\N	\N	\N	\N	0	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	5	8fbfc879	8cedf20a	message	1777885241532	{"type":"message","id":"8fbfc879","parentId":"8cedf20a","timestamp":"2026-05-04T09:00:41.532Z","message":{"role":"user","content":[{"type":"text","text":"This is the top shelf. Please compare it with stock.csv."},{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGO4t6MdAASVAh7bIBrFAAAAAElFTkSuQmCC","mimeType":"image/png"}],"timestamp":1777885241206}}	\N	counted	\N	\N	\N	\N	\N	1	1	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	6	ae5d5d41	8fbfc879	message	1777885245752	{"type":"message","id":"ae5d5d41","parentId":"8fbfc879","timestamp":"2026-05-04T09:00:45.752Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"The photo shows rice, lentils and one jar of honey. I need the list.","thinkingSignature":"fg6e+euKa3W4DQ96lEqx2bbz4fCN3L8tSX/jIn52NZk="},{"type":"text","text":"I see rice, lentils and honey. Now the list."},{"type":"toolCall","id":"toolu_014FY090XRgbYCvVAxYFX8Vh","name":"read","arguments":{"path":"stock.csv"},"partialJson":"{\\"path\\":\\"stock.csv\\"}"}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":5,"output":118,"cacheRead":0,"cacheWrite":13480,"totalTokens":13603,"cost":{"input":0.000015,"output":0.00177,"cacheRead":0,"cacheWrite":0.050550000000000005,"total":0.052335000000000007}},"stopReason":"toolUse","timestamp":1777885241546}}	\N	counted	reply	anthropic	claude-sonnet-4-5	\N	{"read"}	1	0	1	0	5	118	0	13480	13603	0.052335000000000007
agent:main:recovered:openclaw-v3	7	ba55ae52	ae5d5d41	message	1777885246950	{"type":"message","id":"ba55ae52","parentId":"ae5d5d41","timestamp":"2026-05-04T09:00:46.950Z","message":{"role":"toolResult","toolCallId":"toolu_014FY090XRgbYCvVAxYFX8Vh","toolName":"read","content":[{"type":"text","text":"item,count,best_before\\nrice,2,2027-03-01\\nhoney,3,2028-01-15\\nlentils,1,2026-11-30\\n"}],"details":{"lines":4},"isError":false,"timestamp":1777885246092}}	\N	counted	\N	\N	\N	read	\N	1	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	8	578d8504	ba55ae52	message	1777885251882	{"type":"message","id":"578d8504","parentId":"ba55ae52","timestamp":"2026-05-04T09:00:51.882Z","message":{"role":"assistant","content":[{"type":"text","text":"The list says three jars of honey, the shelf has one. Rice and lentils agree."}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":9,"output":41,"cacheRead":13480,"cacheWrite":188,"totalTokens":13718,"cost":{"input":0.000027,"output":0.000615,"cacheRead":0.004044,"cacheWrite":0.000705,"total":0.005391}},"stopReason":"stop","timestamp":1777885246964}}	\N	counted	reply	anthropic	claude-sonnet-4-5	\N	\N	1	0	0	0	9	41	13480	188	13718	0.005391
agent:main:recovered:openclaw-v3	9	a872af4e-0005-439d-ace8-ec7f5e40779e	578d8504	message	1777885252578	{"type":"message","id":"a872af4e-0005-439d-ace8-ec7f5e40779e","parentId":"578d8504","timestamp":"2026-05-04T09:00:52.578Z","message":{"role":"assistant","content":[{"type":"text","text":"The list says three jars of honey, the shelf has one. Rice and lentils agree."}],"api":"openai-responses","provider":"openclaw","model":"delivery-mirror","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1777885251902}}	\N	mirror	reply	openclaw	delivery-mirror	\N	\N	1	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	10	db454acd	a872af4e-0005-439d-ace8-ec7f5e40779e	message	1777885273699	{"type":"message","id":"db454acd","parentId":"a872af4e-0005-439d-ace8-ec7f5e40779e","timestamp":"2026-05-04T09:01:13.699Z","message":{"role":"bashExecution","command":"wc -l stock.csv","output":"4 stock.csv\\n","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1777885273578}}	\N	counted	\N	\N	\N	\N	\N	1	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	11	5d71f462	db454acd	message	1777885313792	{"type":"message","id":"5d71f462","parentId":"db454acd","timestamp":"2026-05-04T09:01:53.792Z","message":{"role":"user","content":[{"type":"text","text":"Sort the list by name."}],"timestamp":1777885313710}}	\N	counted	\N	\N	\N	\N	\N	1	1	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	12	e8f4267b	5d71f462	message	1777885317876	{"type":"message","id":"e8f4267b","parentId":"5d71f462","timestamp":"2026-05-04T09:01:57.876Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"By name: honey, lentils, rice.","thinkingSignature":"jRtSvxulG7q71h4XZaXRnOH8qYZJ8gdVontFXsLFhs4="},{"type":"text","text":"Sorting by"}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":5,"output":9,"cacheRead":13668,"cacheWrite":86,"totalTokens":13768,"cost":{"input":0.000015,"output":0.000135,"cacheRead":0.0041004,"cacheWrite":0.00032250000000000003,"total":0.0045728999999999995}},"stopReason":"aborted","timestamp":1777885313806,"errorMessage":"Request was aborted."}}	\N	counted	reply	anthropic	claude-sonnet-4-5	\N	\N	1	0	0	0	5	9	13668	86	13768	0.0045728999999999995
agent:main:recovered:openclaw-v3	13	50c58a73	e8f4267b	message	1777885326172	{"type":"message","id":"50c58a73","parentId":"e8f4267b","timestamp":"2026-05-04T09:02:06.172Z","message":{"role":"user","content":[{"type":"text","text":"Wait, try again?"}],"timestamp":1777885325887}}	\N	counted	\N	\N	\N	\N	\N	1	1	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	14	305e835c	50c58a73	message	1777885330569	{"type":"message","id":"305e835c","parentId":"50c58a73","timestamp":"2026-05-04T09:02:10.569Z","message":{"role":"assistant","content":[],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"error","timestamp":1777885326186,"errorMessage":"529 {\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"overloaded_error\\",\\"message\\":\\"Overloaded\\"}}"}}	\N	counted	reply	anthropic	claude-sonnet-4-5	\N	\N	1	0	0	0	0	0	0	0	0	0
agent:main:recovered:openclaw-v3	15	16b93c03	db454acd	branch_summary	1777885345917	{"type":"branch_summary","id":"16b93c03","parentId":"db454acd","timestamp":"2026-05-04T09:02:25.917Z","fromId":"db454acd","summary":"Ada asked for a list sorted by name and stopped it.","details":{"readFiles":["stock.csv"],"modifiedFiles":[]},"fromHook":false}	\N	counted	\N	\N	\N	\N	\N	0	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	16	7d5827ae	16b93c03	custom_message	1777885346490	{"type":"custom_message","customType":"openclaw.runtime-context","content":"It is Monday. The shopping day is Wednesday.","display":false,"details":{"source":"clock"},"id":"7d5827ae","parentId":"16b93c03","timestamp":"2026-05-04T09:02:26.490Z"}	\N	counted	\N	\N	\N	\N	\N	0	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	17	f65b22bf	7d5827ae	message	1777885358908	{"type":"message","id":"f65b22bf","parentId":"7d5827ae","timestamp":"2026-05-04T09:02:38.908Z","message":{"role":"user","content":[{"type":"text","text":"Sort stock.csv by the best-before date instead."}],"timestamp":1777885358501}}	\N	counted	\N	\N	\N	\N	\N	1	1	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	18	53e27812	f65b22bf	message	1777885363374	{"type":"message","id":"53e27812","parentId":"f65b22bf","timestamp":"2026-05-04T09:02:43.374Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"toolu_01zZiBkXhhC5yklmCY6C1J6K","name":"exec","arguments":{"command":"(head -1 stock.csv; tail -n +2 stock.csv | sort -t, -k3) > s && mv s stock.csv"}}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":5,"output":83,"cacheRead":13668,"cacheWrite":191,"totalTokens":13947,"cost":{"input":0.000015,"output":0.001245,"cacheRead":0.0041004,"cacheWrite":0.00071625,"total":0.006076649999999999}},"stopReason":"toolUse","timestamp":1777885358922}}	\N	counted	reply	anthropic	claude-sonnet-4-5	\N	{"exec"}	1	0	1	0	5	83	13668	191	13947	0.006076649999999999
agent:main:recovered:openclaw-v3	19	11dc28e4	53e27812	message	1777885364477	{"type":"message","id":"11dc28e4","parentId":"53e27812","timestamp":"2026-05-04T09:02:44.477Z","message":{"role":"toolResult","toolCallId":"toolu_01zZiBkXhhC5yklmCY6C1J6K","toolName":"exec","content":[{"type":"text","text":""}],"details":{"status":"completed","exitCode":0,"durationMs":14,"cwd":"/home/ada/pantry"},"isError":false,"timestamp":1777885363714}}	\N	counted	\N	\N	\N	exec	\N	1	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	20	e0aae626	11dc28e4	message	1777885368894	{"type":"message","id":"e0aae626","parentId":"11dc28e4","timestamp":"2026-05-04T09:02:48.894Z","message":{"role":"assistant","content":[{"type":"text","text":"Sorted: lentils first, they end in November."}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":8,"output":16,"cacheRead":13859,"cacheWrite":103,"totalTokens":13986,"cost":{"input":0.000024,"output":0.00024,"cacheRead":0.004157699999999999,"cacheWrite":0.00038625,"total":0.00480795}},"stopReason":"stop","timestamp":1777885364491}}	\N	counted	reply	anthropic	claude-sonnet-4-5	\N	\N	1	0	0	0	8	16	13859	103	13986	0.00480795
agent:main:recovered:openclaw-v3	21	456c6d29	e0aae626	compaction	1777885402753	{"type":"compaction","id":"456c6d29","parentId":"e0aae626","timestamp":"2026-05-04T09:03:22.753Z","summary":"The shelf was compared with stock.csv: only the honey differs (3 listed, 1 there).","firstKeptEntryId":"db454acd","tokensBefore":13986,"details":{"readFiles":["stock.csv"],"modifiedFiles":["stock.csv"]},"fromHook":false}	\N	counted	\N	\N	\N	\N	\N	0	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	22	176e077b	456c6d29	label	1777885408287	{"type":"label","id":"176e077b","parentId":"456c6d29","timestamp":"2026-05-04T09:03:28.287Z","targetId":"578d8504","label":"shelf photo"}	\N	counted	\N	\N	\N	\N	\N	0	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	23	ea335543	176e077b	session_info	1777885408767	{"type":"session_info","id":"ea335543","parentId":"176e077b","timestamp":"2026-05-04T09:03:28.767Z","name":"Pantry stock"}	\N	counted	\N	\N	\N	\N	\N	0	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	24	3b4da149-bf86-4241-ab6e-ef04955e9197	ea335543	message	1777885410159	{"type":"message","id":"3b4da149-bf86-4241-ab6e-ef04955e9197","parentId":"ea335543","appendMode":"side","timestamp":"2026-05-04T09:03:30.159Z","message":{"role":"assistant","content":[{"type":"text","text":"Reminder set for Wednesday."}],"api":"openai-responses","provider":"openclaw","model":"gateway-injected","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1777885408797}}	\N	mirror	reply	openclaw	gateway-injected	\N	\N	1	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	25	aa6a9977	3b4da149-bf86-4241-ab6e-ef04955e9197	message	1777885428640	{"type":"message","id":"aa6a9977","parentId":"3b4da149-bf86-4241-ab6e-ef04955e9197","timestamp":"2026-05-04T09:03:48.640Z","message":{"role":"user","content":[{"type":"text","text":"Delete everything that ends this year."}],"timestamp":1777885428170}}	\N	counted	\N	\N	\N	\N	\N	1	1	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	26	fac44848	aa6a9977	message	1777885432768	{"type":"message","id":"fac44848","parentId":"aa6a9977","timestamp":"2026-05-04T09:03:52.768Z","message":{"role":"assistant","content":[{"type":"text","text":"That would be the lentils. Are you sure?"}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":5,"output":15,"cacheRead":0,"cacheWrite":12150,"totalTokens":12170,"cost":{"input":0.000015,"output":0.000225,"cacheRead":0,"cacheWrite":0.0455625,"total":0.045802499999999996}},"stopReason":"stop","timestamp":1777885428654}}	\N	counted	reply	anthropic	claude-sonnet-4-5	\N	\N	1	0	0	0	5	15	0	12150	12170	0.045802499999999996
agent:main:recovered:openclaw-v3	27	02ca33ff	fac44848	leaf	1777885441998	{"type":"leaf","id":"02ca33ff","parentId":"fac44848","timestamp":"2026-05-04T09:04:01.998Z","targetId":"ea335543"}	\N	counted	\N	\N	\N	\N	\N	0	0	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	28	5ce6f13b	02ca33ff	message	1777885456405	{"type":"message","id":"5ce6f13b","parentId":"02ca33ff","timestamp":"2026-05-04T09:04:16.405Z","message":{"role":"user","content":[{"type":"text","text":"Rather list what ends this year."}],"timestamp":1777885456009}}	\N	counted	\N	\N	\N	\N	\N	1	1	0	0	0	0	0	0	0	\N
agent:main:recovered:openclaw-v3	29	c3d70172	5ce6f13b	message	1777885461234	{"type":"message","id":"c3d70172","parentId":"5ce6f13b","timestamp":"2026-05-04T09:04:21.234Z","message":{"role":"assistant","content":[{"type":"text","text":"Only the lentils, on 30 November."}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":8,"output":13,"cacheRead":12090,"cacheWrite":40,"totalTokens":12151,"cost":{"input":0.000024,"output":0.000195,"cacheRead":0.003627,"cacheWrite":0.00015000000000000001,"total":0.003996}},"stopReason":"stop","timestamp":1777885456419}}	\N	counted	reply	anthropic	claude-sonnet-4-5	\N	\N	1	0	0	0	8	13	12090	40	12151	0.003996
\.
COPY clawctl_sessions (key, created_at, updated_at, metadata, lines, complete) FROM STDIN;
agent:main:recovered:openclaw-v3	1777885200000	1777885461234	{"key":"agent:main:recovered:openclaw-v3","agent":"main","sessionId":"openclaw-v3","kind":"live","source":"testdata/transcripts/openclaw-v3.jsonl"}	29	true
\.
-- Two pushes of one host wait for each other.
DO $clawctl$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('clawctl ' || current_schema() || ' ' || 'ada', 0));
END $clawctl$;
ANALYZE clawctl_sessions;
ANALYZE clawctl_messages;

INSERT INTO sessions AS s (host, key, created_at, updated_at, metadata)
  SELECT 'ada', key, created_at, updated_at, metadata FROM clawctl_sessions
  ON CONFLICT (host, key) DO UPDATE
  SET created_at = excluded.created_at, updated_at = excluded.updated_at, metadata = excluded.metadata
  WHERE (s.created_at, s.updated_at, s.metadata::text)
    IS DISTINCT FROM (excluded.created_at, excluded.updated_at, excluded.metadata::text);

-- A session that was read to its end has no other lines. One that was not keeps those of an earlier push.
DELETE FROM messages AS m USING clawctl_sessions AS n
  WHERE m.host = 'ada' AND m.session_key = n.key AND n.complete AND m.record > n.lines;

INSERT INTO messages AS m (host, session_key, record, id, parent_id, type, timestamp, data, raw, status, kind, provider, model, tool, calls, messages, turns, tool_calls, tool_errors, input, output, cache_read, cache_write, total, cost_usd)
  SELECT 'ada', session_key, record, id, parent_id, type, timestamp, data, raw, status, kind, provider, model, tool, calls, messages, turns, tool_calls, tool_errors, input, output, cache_read, cache_write, total, cost_usd FROM clawctl_messages
  ON CONFLICT (host, session_key, record) DO UPDATE
  SET (session_key, record, id, parent_id, type, timestamp, data, raw, status, kind, provider, model, tool, calls, messages, turns, tool_calls, tool_errors, input, output, cache_read, cache_write, total, cost_usd) = ROW (excluded.session_key, excluded.record, excluded.id, excluded.parent_id, excluded.type, excluded.timestamp, excluded.data, excluded.raw, excluded.status, excluded.kind, excluded.provider, excluded.model, excluded.tool, excluded.calls, excluded.messages, excluded.turns, excluded.tool_calls, excluded.tool_errors, excluded.input, excluded.output, excluded.cache_read, excluded.cache_write, excluded.total, excluded.cost_usd)
  WHERE (m.session_key, m.record, m.id, m.parent_id, m.type, m.timestamp, m.data::text, m.raw, m.status, m.kind, m.provider, m.model, m.tool, m.calls, m.messages, m.turns, m.tool_calls, m.tool_errors, m.input, m.output, m.cache_read, m.cache_write, m.total, m.cost_usd) IS DISTINCT FROM (excluded.session_key, excluded.record, excluded.id, excluded.parent_id, excluded.type, excluded.timestamp, excluded.data::text, excluded.raw, excluded.status, excluded.kind, excluded.provider, excluded.model, excluded.tool, excluded.calls, excluded.messages, excluded.turns, excluded.tool_calls, excluded.tool_errors, excluded.input, excluded.output, excluded.cache_read, excluded.cache_write, excluded.total, excluded.cost_usd);

-- The text of a session that is not part of this push may be in another one now, such as an archive. It counts once.
UPDATE messages AS m SET status = 'copy'
  FROM clawctl_messages AS n
  WHERE m.host = 'ada' AND m.status = 'counted' AND n.status = 'counted'
    AND m.record = n.record AND m.id = n.id AND m.data::text = n.data::text
    AND NOT EXISTS (SELECT FROM clawctl_sessions AS s WHERE s.key = m.session_key);

COMMIT;
