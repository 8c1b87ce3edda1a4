-- compatible-with: 0072
-- Work that follows from a request belongs to its trace (W3C Trace Context): the header as it was when the job was written down.
alter table outbox add column traceparent text check (length(traceparent) <= 55);
