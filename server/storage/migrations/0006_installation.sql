CREATE TABLE `installation` (
	`name` text PRIMARY KEY NOT NULL,
	`value` blob NOT NULL
);
