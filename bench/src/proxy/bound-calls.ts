import type { Program } from '../../../server/src/program/program.testing.ts'

/** Sets a budget and a limit that are large enough to refuse nothing, so that their cost is measured too. */
export async function boundCalls(program: Program): Promise<void> {
	const of = { name: 'bench', scope: 'workspace' }
	await program.api('POST', '/v1/budgets', { ...of, limit: '9000000000000000', window: 'month' }, 201)
	const rates = { requests_per_minute: 1_000_000, tokens_per_minute: 1_000_000_000 }
	await program.api('POST', '/v1/model-limits', { ...of, ...rates }, 201)
}
