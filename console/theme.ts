import { applyAppearance } from './app/appearance.ts'

// A file of its own that runs before the first paint, so that a dark page never flashes white.
applyAppearance()
