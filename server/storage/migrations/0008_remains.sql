-- Whatever deletes a chat or a run, a cascade too, says here what it leaves; the erasure in steps goes by that.
CREATE TRIGGER chats_leave_remains AFTER DELETE ON chats
BEGIN
  INSERT INTO erasures (chatId, at) VALUES (old.id, unixepoch() * 1000) ON CONFLICT DO NOTHING;
  INSERT INTO remains (kind, id) VALUES ('chat', old.id) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER runs_leave_remains AFTER DELETE ON runs
BEGIN INSERT INTO remains (kind, id) VALUES ('run', old.id) ON CONFLICT DO NOTHING; END;
