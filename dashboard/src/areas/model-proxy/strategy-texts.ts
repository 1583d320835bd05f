import type { ModelRoute } from './queries.ts'

/** Name and description of each strategy for choosing the first target. */
export const strategyTexts: Record<ModelRoute['strategy'], { label: string; text: string }> = {
	ordered: { label: 'In order', text: 'The first target is asked; the next one when it fails' },
	weighted: { label: 'By weight', text: 'Calls are spread over the targets by their weights' },
	least_latency: { label: 'Fastest first', text: 'The target that answers soonest is asked' },
}
