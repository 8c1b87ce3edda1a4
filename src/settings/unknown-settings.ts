import { didYouMean } from '../kernel/text/did-you-mean.ts'

const prefix = 'GATEHOUSE_'

/** Those of the server and of the command line, without their prefix. */
const known = `
  AUDIENCE AUDIT_DAYS AUDIT_SYSLOG AWS_ACCESS_KEY_ID AWS_ENDPOINT AWS_SECRET_ACCESS_KEY BACKUP_FOLDER
  BACKUP_HOURS BACKUP_KEEP BACKUP_PASSPHRASE BASE_REF BRANCH_DAYS BROKER_URL CACHE_BYTES CARGO_UPSTREAM
  CHAT_CLIENT_ID CHAT_CLIENT_SECRET CHAT_URL COMMIT DATA DATABASE_CONNECTIONS DEPLOYMENT DISK_RESERVE_BYTES
  EGRESS_ALLOW EPSS_FEED EXPLOITED_FEED FEED FEED_MINUTES FIREWALL_DETAIL_DAYS FIREWALL_REFUSED_DAYS GO_SUMDB
  GO_UPSTREAM IDENTITY_PROVIDER_URL ID_TOKEN KEY LOG_LEVEL MAILS_PER_HOUR MAIL_DOMAINS MAVEN_UPSTREAM
  MEMORY_BYTES METRICS_TOKEN MIGRATION_DATABASE_URL MIGRATION_WAIT_SECONDS NEW_KEY NEW_PEOPLE_SEE NPM_UPSTREAM
  OPEN_OSV OWNER_EMAIL OWNER_PASSWORD PACKAGE_REQUESTS_PER_MINUTE PASSWORD PLAIN_HTTP_HOSTS PREFIX PULL_REQUEST
  PULL_REQUESTS_WITHOUT_BASE PYPI_UPSTREAM READ_DATABASE_URL REF REPOSITORY REQUESTS_PER_MINUTE ROOT RUN
  S3_ACCESS_KEY_ID S3_ACCESS_KEY_ID_FILE S3_BUCKET S3_ENDPOINT S3_PATH_STYLE S3_PREFIX S3_REGION S3_SECRET_ACCESS_KEY
  S3_SECRET_ACCESS_KEY_FILE
  SAFE_CHAIN_DEPLOYMENTS SCAN_DAYS SECOND_FACTOR SMTP_FROM SMTP_URL TOKEN TRUST_PROXY URL USERNAME
  VULNERABILITY_FEED WAL_ARCHIVE WAL_ARCHIVE_BASE_HOURS WAL_ARCHIVE_DAYS
`
  .trim()
  .split(/\s+/)

/** What tests, benchmarks and recordings of this project are told by. */
const own = /^(TEST|BENCH|DEEP|BROWSER|RECORD|REAL|RELEASE|PROFILE)/

/** A sentence for each name that begins as ours and that nothing reads: most of them are misspelt. Values are not told. */
export function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  const given = Object.keys(env)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
  return given
    .filter((name) => !known.includes(name) && !own.test(name))
    .sort()
    .map((name) => {
      const close = didYouMean(name, known)
      return `${prefix}${name} is not a setting, and nothing reads it${close ? `; did you mean ${prefix}${close}?` : '.'}`
    })
}
