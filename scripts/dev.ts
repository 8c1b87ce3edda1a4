import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** `npm run dev`: serves, and starts again whenever a file that was loaded has changed. */
const root = join(import.meta.dirname, '..')
const args = ['--watch', '--watch-preserve-output', '--disable-warning=ExperimentalWarning']
const child = spawn(process.execPath, [...args, join(root, 'src', 'main.ts'), 'serve', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 0))
