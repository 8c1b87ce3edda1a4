-- When a scan was made, where that is not when it was sent: scans of the past can be brought in, oldest first.
alter table scan add column performed_at timestamptz(3);
