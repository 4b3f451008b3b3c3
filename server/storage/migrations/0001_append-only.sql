-- The chain only grows, at its end. A payload may be erased, never changed or put back.
CREATE TRIGGER beats_never_change BEFORE UPDATE ON beats
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER beats_never_go BEFORE DELETE ON beats
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER beats_follow BEFORE INSERT ON beats
WHEN NEW.seq IS NOT (SELECT COALESCE(MAX(seq), 0) + 1 FROM beats)
BEGIN SELECT RAISE(ABORT, 'a beat takes the next place'); END;
--> statement-breakpoint
CREATE TRIGGER beat_payloads_never_change BEFORE UPDATE ON beat_payloads
BEGIN SELECT RAISE(ABORT, 'a payload never changes'); END;
--> statement-breakpoint
CREATE TRIGGER beat_payloads_come_once BEFORE INSERT ON beat_payloads
WHEN NEW.seq IS NOT (SELECT MAX(seq) FROM beats)
BEGIN SELECT RAISE(ABORT, 'a payload comes with its beat'); END;
