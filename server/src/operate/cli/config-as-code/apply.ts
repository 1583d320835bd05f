import { kinds } from './kinds/index.ts'
import type { Context, Kind } from './kinds/kind.ts'
import type { Step } from './plan.ts'
import { reread } from './state.ts'

/** Does the steps one after the other; `onDone` hears of each as soon as it is done. */
export async function runPlan(
	context: Context,
	plan: readonly Step[],
	onDone: (step: Step, warnings: readonly string[]) => void,
): Promise<void> {
	for (const step of plan) {
		if (step.action === 'unchanged') continue
		onDone(step, await runStep(context, step))
	}
}

/** What of the object has no effect now. */
async function runStep(
	context: Context,
	{ section, action, entry, existing, changes }: Step,
): Promise<readonly string[]> {
	const kind = kinds[section] as Kind
	if (action === 'create') {
		const made = await kind.create(context, entry as never)
		await noteNew(context, section)
		return made?.warnings ?? []
	}
	if (!existing) return []
	if (action === 'update') {
		const fields = new Set(changes.map(({ field }) => field))
		return (await kind.update(context, existing, entry as never, fields))?.warnings ?? []
	}
	await kind.remove(context, existing).catch(unlessGone)
	return []
}

/** Toolsets and grants ask for the ids of what was made before them. */
async function noteNew(context: Context, section: Step['section']): Promise<void> {
	if (section === 'servers' || section === 'agents') await reread(context, section)
}

/** Deleting a server or an agent takes its grants along. */
function unlessGone(error: unknown): void {
	if (!(error instanceof Error && 'status' in error && error.status === 404)) throw error
}
