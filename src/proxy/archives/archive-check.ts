import type { ArchiveFacts, ReleaseFacts, ReleaseSignal } from '../../capabilities/firewall/rules/release-facts.ts'
import { type ArtifactRequest, type ArtifactSource, closeArtifact } from '../artifact-source.ts'
import type { Artifact } from '../cache/artifacts.ts'
import type { Threads } from '../threads/threads.ts'
import { ownerOf } from '../upstream/collect-body.ts'
import type { ArchiveContents, ArchiveKind } from './archive.ts'

/** A release before it, to compare with: what its metadata says, and where its artifact is, if it has one of that kind. */
export type EarlierRelease = { version: string; facts: ReleaseFacts | undefined; artifact: ArtifactRequest | undefined }

export type ArchiveQuestion = {
  kind: ArchiveKind
  partition: string
  facts: ReleaseFacts | undefined
  /** Asked for only where there is something to compare. */
  earlier(): Promise<EarlierRelease[]>
}

export type ArchiveCheck = ReturnType<typeof createArchiveCheck>

/** Looks into artifacts that are here and verified, for what no metadata says. The same artifacts always show the same. */
export function createArchiveCheck(threads: Threads, source: ArtifactSource) {
  /** Leaves the artifact open. */
  async function look(artifact: Artifact, question: ArchiveQuestion): Promise<ArchiveFacts> {
    const { kind, partition, facts } = question
    const { installScript, executable, isUnreadable } = await contentsOf(kind, partition, artifact)
    if (isUnreadable) return { signals: [], isUnreadable }
    const isHidden = installScript !== undefined && facts?.installScript === undefined
    const isNews = (isHidden || executable !== undefined) && (facts?.before?.length ?? 0) > 0
    const earlier = isNews ? await Promise.all((await question.earlier()).map((one) => before(kind, one))) : []
    return {
      signals: [...(isHidden ? newScript(installScript, earlier) : []), ...newExecutable(executable, earlier)],
      ...(installScript !== undefined && { installScript }),
    }
  }

  type Earlier = { version: string; hasScript: boolean; contents: ArchiveContents | undefined }

  async function before(kind: ArchiveKind, { version, facts, artifact: wanted }: EarlierRelease): Promise<Earlier> {
    const artifact = wanted && (await source.get(wanted, () => {}))
    if (!artifact) return { version, hasScript: facts?.installScript !== undefined, contents: undefined }
    try {
      const contents = await contentsOf(kind, wanted.upstream.partition, artifact)
      return { version, hasScript: (facts?.installScript ?? contents.installScript) !== undefined, contents }
    } finally {
      await closeArtifact(artifact)
    }
  }

  function newScript(script: string, earlier: readonly Earlier[]): ReleaseSignal[] {
    if (earlier.length === 0 || earlier.some(({ hasScript }) => hasScript)) return []
    const because = `It gains an install script (${script}), which ${earlier[0]!.version} did not have`
    return [{ signal: 'new_install_script', because }]
  }

  /** A project that begins to make wheels has none to compare with. */
  function newExecutable(file: string | undefined, earlier: readonly Earlier[]): ReleaseSignal[] {
    const comparable = earlier.filter(({ contents }) => contents && !contents.isUnreadable)
    if (file === undefined || comparable.length === 0) return []
    if (comparable.some(({ contents }) => contents!.executable !== undefined)) return []
    const because = `It gains executable files (${file}), which ${comparable[0]!.version} did not have`
    return [{ signal: 'new_executable', because }]
  }

  async function contentsOf(kind: ArchiveKind, partition: string, artifact: Artifact): Promise<ArchiveContents> {
    const content = 'file' in artifact ? artifact.file : artifact.content
    return threads.archiveContents(ownerOf(partition), kind, content)
  }

  return { look }
}
