import type { PackageClient } from '../../src/domain/package-clients.ts'

/** What people call each client, and what they may try with it. */
export const clientLabels: Record<PackageClient, { label: string; ecosystem: string; attempt: string }> = {
  npm: { label: 'npm', ecosystem: 'npm', attempt: 'npm view left-pad version' },
  pnpm: { label: 'pnpm', ecosystem: 'npm', attempt: 'pnpm view left-pad version' },
  yarn: { label: 'Yarn 2 and later', ecosystem: 'npm', attempt: 'yarn npm info left-pad --fields version' },
  yarn1: { label: 'Yarn 1', ecosystem: 'npm', attempt: 'yarn info left-pad version' },
  bun: { label: 'bun', ecosystem: 'npm', attempt: 'bun add left-pad' },
  deno: { label: 'Deno', ecosystem: 'npm', attempt: 'deno add npm:left-pad' },
  pip: { label: 'pip', ecosystem: 'pypi', attempt: 'pip download --no-deps six' },
  uv: { label: 'uv', ecosystem: 'pypi', attempt: 'uv pip install six' },
  poetry: { label: 'Poetry', ecosystem: 'pypi', attempt: 'poetry add six' },
  pdm: { label: 'PDM', ecosystem: 'pypi', attempt: 'pdm add six' },
  pipenv: { label: 'Pipenv', ecosystem: 'pypi', attempt: 'pipenv install six' },
  maven: { label: 'Maven', ecosystem: 'maven', attempt: 'mvn dependency:get -Dartifact=junit:junit:4.13.2' },
  gradle: { label: 'Gradle', ecosystem: 'maven', attempt: 'gradle dependencies' },
  cargo: { label: 'Cargo', ecosystem: 'cargo', attempt: 'cargo info itoa' },
  go: { label: 'Go', ecosystem: 'gomod', attempt: 'go mod download golang.org/x/text@latest' },
}
