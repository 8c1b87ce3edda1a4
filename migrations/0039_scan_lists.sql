-- What lists of scans and pull requests show of a receipt, without reading it.
create function receipt_findings(receipt jsonb, figure text) returns integer
  language sql immutable parallel safe set search_path from current
  return coalesce((select sum((file->'findings'->>figure)::integer)
    from jsonb_array_elements(case jsonb_typeof(receipt->'files') when 'array' then receipt->'files' else '[]' end) as file), 0);
revoke execute on function receipt_findings from public;
grant execute on function receipt_findings to gatehouse_app;

alter table scan
  add column raised_count integer not null generated always as (receipt_findings(receipt, 'raised')) stored,
  add column fixed_count integer not null generated always as (receipt_findings(receipt, 'fixed')) stored,
  add column blocked boolean not null
    generated always as (receipt @? '$.blockedBy[*]' or receipt @? '$.blockedByRules[*]') stored;

-- The scans of one pull request, and the pull requests of all repositories, the last scanned first.
create index scan_of_pull_request on scan (deployment_id, repository_id, pull_request, id) where pull_request > 0;
create index scan_pull_requests on scan (deployment_id, id) where pull_request > 0;
create index scan_blocked on scan (deployment_id, repository_id, id) where blocked;
