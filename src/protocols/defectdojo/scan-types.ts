import { cyclonedxJson } from '../../formats/cyclonedx-json/reader.ts'
import { cyclonedxXml } from '../../formats/cyclonedx-xml/reader.ts'
import { gitlabReport } from '../../formats/gitlab-report/reader.ts'
import { gitleaksJson } from '../../formats/gitleaks-json/reader.ts'
import { grypeJson } from '../../formats/grype-json/reader.ts'
import { npmAudit } from '../../formats/npm-audit/reader.ts'
import { osvScannerJson } from '../../formats/osv-scanner-json/reader.ts'
import { sarif } from '../../formats/sarif/reader.ts'
import { semgrepJson } from '../../formats/semgrep-json/reader.ts'
import { trivyJson } from '../../formats/trivy-json/reader.ts'

export type ScanType = {
  /** The number by which clients know it; never give one to another. */
  id: number
  /** As DefectDojo writes it. */
  name: string
  /** What its report may be, by our readers. */
  formats: readonly string[]
  /** What the file is called here, where its content alone does not tell what it is. */
  fileName: string
}

const type = (id: number, name: string, fileName: string, ...formats: { id: string }[]): ScanType => ({
  id,
  name,
  fileName,
  formats: formats.map((format) => format.id),
})

/** The names of DefectDojo's parsers that have a reader here. */
export const scanTypes: readonly ScanType[] = [
  type(1, 'SARIF', 'report.sarif', sarif),
  type(2, 'CycloneDX Scan', 'bom.json', cyclonedxJson, cyclonedxXml),
  type(3, 'Semgrep JSON Report', 'semgrep.json', semgrepJson),
  type(4, 'Trivy Scan', 'trivy.json', trivyJson),
  type(5, 'Anchore Grype', 'grype.json', grypeJson),
  type(6, 'NPM Audit Scan', 'npm-audit.json', npmAudit),
  type(7, 'NPM Audit v7+ Scan', 'npm-audit.json', npmAudit),
  type(8, 'OSV Scan', 'osv-scanner.json', osvScannerJson),
  type(9, 'Gitleaks Scan', 'gitleaks.json', gitleaksJson),
  type(10, 'GitLab SAST Report', 'gl-sast-report.json', gitlabReport),
  type(11, 'GitLab Dependency Scanning Report', 'gl-dependency-scanning-report.json', gitlabReport),
  type(12, 'GitLab Secret Detection Report', 'gl-secret-detection-report.json', gitlabReport),
  type(13, 'GitLab Container Scan', 'gl-container-scanning-report.json', gitlabReport),
]

export function findScanType(name: string): ScanType | undefined {
  return scanTypes.find((one) => one.name === name)
}
