import { usualConnections } from '../../kernel/database/connections/pool-sizes.ts'
import { usableMemory } from '../../kernel/memory/usable-memory.ts'
import { dynamicSharedMemory } from '../process/platform.ts'
import { LINE_PREFIX } from '../process/server-log.ts'

const MIB = 1024 * 1024

/** Modest shares: this runs on laptops, beside other things, and the system's file cache does the rest. */
export function memorySettings(bytes: number): Record<string, string> {
  return {
    shared_buffers: megabytes(bytes / 8, 64, 1024),
    effective_cache_size: megabytes(bytes / 2, 256, 65_536),
    work_mem: megabytes(bytes / 512, 4, 32),
    maintenance_work_mem: megabytes(bytes / 32, 64, 512),
  }
}

/** Room for all that a process may take, for feeds and backups beside them, and for commands. */
export function connectionSettings(connections: number): Record<string, string> {
  return { max_connections: String(Math.max(60, connections + 28)) }
}

export function serverSettings(marker: string, socketFolder: string): Record<string, string> {
  return {
    cluster_name: marker,
    update_process_title: 'on',
    // Reached by its socket alone.
    listen_addresses: '',
    port: '5432',
    // A list, in which quoting keeps a comma or space in a path from ending the entry.
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    ssl: 'off',
    ...connectionSettings(usualConnections),
    shared_preload_libraries: '',
    max_logical_replication_workers: '0',

    // Acknowledged means on disk. These are defaults, held fast against postgresql.conf and ALTER SYSTEM.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',

    ...memorySettings(usableMemory()),
    dynamic_shared_memory_type: dynamicSharedMemory(),
    huge_pages: 'off',

    // Bulk loads should not force a checkpoint every 1 GB, and recovery should still take seconds.
    max_wal_size: '2GB',
    min_wal_size: '128MB',
    checkpoint_timeout: '10min',
    random_page_cost: '1.1',
    // Until autovacuum has analysed a table, plans are made without statistics, kept, and may read all that a deployment has.
    autovacuum_naptime: '10s',
    jit: 'off', // our queries are over before a compiler pays off

    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',

    // Errors of statements go to whoever sent them; a log has no business with their texts and values.
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: LINE_PREFIX,
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_statement: 'none',
    log_min_duration_statement: '-1',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    log_autovacuum_min_duration: '-1',
    log_checkpoints: 'off',
    log_temp_files: '-1',
    log_lock_waits: 'off',
  }
}

export function asArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

function megabytes(bytes: number, least: number, most: number): string {
  return `${Math.round(Math.min(Math.max(bytes / MIB, least), most))}MB`
}
