/** The words by which every source describes a finding. */
export type Product = 'code' | 'sca' | 'secrets' | 'ai'
export type Severity = 'critical' | 'high' | 'medium' | 'low' | 'info'
export type Confidence = 'high' | 'medium' | 'low' | ''
export type Category =
  | 'security'
  | 'correctness'
  | 'performance'
  | 'maintainability'
  | 'style'
  | 'best-practice'
  | 'portability'
  | 'licence'
  | ''
