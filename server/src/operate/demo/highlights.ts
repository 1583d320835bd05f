import type { Made } from './make-objects.ts'
import type { Highlight } from './present-demo.ts'
import type { ReplayedRun } from './replay-session.ts'

/** What the dashboard's first screen links to. */
export function highlightsOf({ servers, budgetId }: Made, loop: ReplayedRun | undefined): Highlight[] {
	return [
		{
			kind: 'agent_loop',
			text: 'Coding assistant read the log of one build 16 times in a row.',
			path: `/traces/${loop?.traceId}`,
		},
		{
			kind: 'changed_tool',
			text: 'create_issue of the Issue tracker changed its definition, and waits for your approval.',
			path: `/servers/${servers.get('issues')?.id}/definitions?tool=create_issue`,
		},
		{
			kind: 'budget_breach',
			text: 'Nightly research went over its budget, so its last calls were refused.',
			path: `/budgets?budget=${budgetId}`,
		},
	]
}
