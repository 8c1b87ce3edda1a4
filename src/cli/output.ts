import type { Command } from 'commander'

/** `--json` works on every command, wherever it stands on the line. */
export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals().json === true
}

export function print(command: Command, value: object, text: string): void {
  console.log(wantsJson(command) ? JSON.stringify(value) : text)
}
