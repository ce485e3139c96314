-- What operators have done. Written before an act is done, and its outcome after that.
CREATE TABLE operator_acts (
    id UUID PRIMARY KEY,
    begun_at BIGINT NOT NULL,
    operator_id UUID NOT NULL,
    operator_name TEXT NOT NULL,
    act TEXT NOT NULL,
    -- A game, a player, a process, a letter; empty for the whole system.
    target TEXT NOT NULL,
    detail TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- nigiri.operator.v1.ActOutcome.
    outcome SMALLINT NOT NULL,
    error TEXT NOT NULL
);
CREATE INDEX operator_acts_order ON operator_acts (begun_at, id);
CREATE INDEX operator_acts_target ON operator_acts (target, begun_at, id);

-- The processes that serve: each writes its own row every few seconds, and reads there whether it is to end.
CREATE TABLE replicas (
    id UUID PRIMARY KEY,
    service TEXT NOT NULL,
    host TEXT NOT NULL,
    version TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    streams BIGINT NOT NULL,
    draining BOOLEAN NOT NULL
);

-- What all processes heed. A switch that is not here is off.
CREATE TABLE operator_switches (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    -- Until when it holds; 0: until it is changed.
    until_at BIGINT NOT NULL
);
