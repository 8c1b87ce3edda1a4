import { execFile } from 'node:child_process'
import { homedir } from 'node:os'

/** What a program of this machine prints; undefined where it is not installed or fails. */
export function outputOf(program: string, args: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    // At home, so that no file of a project that happens to be around has a say.
    const options = { cwd: homedir(), timeout: 20_000, maxBuffer: 1024 * 1024 }
    execFile(program, args, options, (error, output) => resolve(error ? undefined : output))
  })
}

/** Only addresses that can be asked over the network. */
export function isWebAddress(text: string | undefined): text is string {
  return text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text)
}
