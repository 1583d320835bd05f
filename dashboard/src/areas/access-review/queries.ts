import { useMutation } from '@tanstack/react-query'
import { api, type Schemas, take } from '../../api.ts'
import type { ProposedChange } from './proposal.ts'

export type Simulation = Schemas['Simulation']

/** Judges the recorded calls of the last days under a proposal; nothing is changed. */
export function useSimulation() {
	return useMutation({
		mutationFn: (body: { changes: ProposedChange[]; days: number }) =>
			take(api.POST('/v1/access/simulate', { body })),
	})
}
