import type { Receipt } from '../../capabilities/scans/contract.ts'
import type { ScanService } from '../../capabilities/scans/service.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { type Contexts, type ImportContext, invalid } from './contexts.ts'
import type { Imported, ScanImport } from './contract.ts'
import { type ImportRequest, readImport } from './read-import.ts'

export type ImportParts = {
  scans: Pick<ScanService, 'upload' | 'defaultBranchOf'>
  contexts: Contexts
  clock: Clock
}

/** An import is an upload of one report. What it fixes are findings of its own test alone. */
export function createImport({ scans, contexts, clock }: ImportParts) {
  return async (
    actor: Actor,
    fields: ScanImport,
    files: readonly ReceivedFile[],
    again: boolean,
  ): Promise<Imported> => {
    const asked = readImport(fields, again, clock)
    const [file] = files
    if (!file) throw invalid('file', 'Send the report as the field file.')
    const context = await contexts.resolve(actor, asked.context)
    const repository = context.product.name
    const known = await scans.defaultBranchOf(actor, repository)
    const { scanType } = asked.context
    const scan = {
      repository,
      ref: asked.ref || actor.bound?.ref || known || 'main',
      commit: asked.commit,
      tool: `DefectDojo client, ${scanType.name}`,
      ...(asked.performedAt && { performedAt: asked.performedAt }),
    }
    const findings = {
      formats: scanType.formats,
      partition: partitionOf(context, asked),
      ...(asked.minimumSeverity && { minimumSeverity: asked.minimumSeverity }),
    }
    const completeness = { closes: asked.complete }
    const origin = { source: `defectdojo:${context.test.id}`, completeness, findings } as const
    const receipt = await scans.upload(actor, scan, [{ ...file, name: scanType.fileName }], origin)
    return answerOf(context, asked, receipt)
  }
}

/** A test of DefectDojo, and within it a service: readable, and never the same for two. */
function partitionOf({ engagement, test }: ImportContext, { service }: ImportRequest): string {
  return [`${engagement.name} #${test.id}`, service].filter(Boolean).join(' ')
}

function answerOf(context: ImportContext, { complete }: ImportRequest, receipt: Receipt): Imported {
  const { product, engagement, test, productTypeId } = context
  const { total, raised, reopened, fixed } = receipt.files[0]!.findings
  const count = (findings: number) => ({ total: { total: findings } })
  return {
    scan_type: test.scanType,
    test: test.id,
    test_id: test.id,
    engagement_id: engagement.id,
    product_id: product.id,
    product_type_id: productTypeId,
    product_name: product.name,
    engagement_name: engagement.name,
    test_title: test.name,
    close_old_findings: complete,
    deduplication_complete: true,
    scan_id: String(receipt.scan.id),
    statistics: {
      delta: {
        created: count(raised),
        reactivated: count(reopened),
        closed: count(fixed),
        untouched: count(Math.max(0, total - raised - reopened)),
      },
    },
  }
}
