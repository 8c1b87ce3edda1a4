-- How often it was tried until it was done; null while its job knows, and where it was done in the transaction.
alter table automation_run add column attempts integer;
