import type { ModelRoute } from './queries.ts'

/** Name and description of each strategy for choosing the first target. */
export const strategyTexts: Record<ModelRoute['strategy'], { label: string; text: string }> = {
	ordered: { label: 'In order', text: 'The first target is called; if it fails, the next one' },
	weighted: { label: 'By weight', text: 'Calls are spread over the targets by their weights' },
	least_latency: { label: 'Fastest first', text: 'The target with the lowest latency is called' },
}
