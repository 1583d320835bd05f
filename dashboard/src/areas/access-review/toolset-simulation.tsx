import type { Schemas } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { InlineError } from '../../ui/states.tsx'
import { useSimulation } from './queries.ts'
import { SimulationResult } from './simulation-result.tsx'

/** Tests a change of a toolset with the calls of the last 7 days. */
export function ToolsetSimulation({ proposal }: { proposal: Schemas['ProposedToolset'] }) {
	const simulation = useSimulation()
	return (
		<>
			<Button
				small
				icon="review"
				busy={simulation.isPending}
				onClick={() => simulation.mutate({ changes: [proposal], days: 7 })}
			>
				Test against the calls of the last 7 days
			</Button>
			{simulation.error && <InlineError error={simulation.error} />}
			{simulation.data && (
				<div className="mt-3 max-h-64 overflow-y-auto">
					<SimulationResult simulation={simulation.data} />
				</div>
			)}
		</>
	)
}
