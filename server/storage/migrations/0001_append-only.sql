-- The chain never changes and never loses an entry. A payload may be erased, never changed.
-- Gaps and forks are left to the primary key and to verification: a check here would cost every append.
CREATE TRIGGER beats_never_change BEFORE UPDATE ON beats
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER beats_never_go BEFORE DELETE ON beats
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER beat_payloads_never_change BEFORE UPDATE ON beat_payloads
BEGIN SELECT RAISE(ABORT, 'a payload never changes'); END;
