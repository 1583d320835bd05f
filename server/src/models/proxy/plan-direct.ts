import type { Problem } from '../../platform/errors.ts'
import type { CallBody } from './call-body.ts'
import type { ConnectionEntry } from './connections/connection-entry.ts'
import type { DeferredCalls } from './deferred/deferred-calls.ts'
import { type Caller, type JudgeDependencies, judgeCaller, selectsModels } from './judge-caller.ts'
import type { Maker } from './objects/made-objects.ts'
import type { ObjectOwners } from './objects/object-owners.ts'
import { requireOwnObjects } from './objects/require-own-objects.ts'
import { CallPlan, direct, type Step } from './reliability/call-plan.ts'
import { type Asked, resolveTarget } from './target.ts'
import { askForUsage } from './usage-injection/ask-for-usage.ts'

/** A call before its body is read. */
export interface AskedCall {
	caller: Caller
	maker: Maker
	asked: Asked
}

/** How a call is judged and sent. */
export interface Way {
	/** Whether it may go on: `step` is where it is now, null before it was planned. */
	judge(step: Step | null): Problem | null
	/** Throws the Problem that refuses the call. */
	plan(body: CallBody): Promise<CallPlan>
}

export interface DirectDependencies extends JudgeDependencies {
	objects: Pick<ObjectOwners, 'firstForeign'>
	deferred: Pick<DeferredCalls, 'find'>
}

/** A call to one connection; null: to a provider itself, with the caller's own key. */
export function directWay(
	deps: DirectDependencies,
	{ caller, maker, asked }: AskedCall,
	connection: ConnectionEntry | null,
): Way {
	// Known once the body is here; until then only the connection is judged.
	let model: string | null | undefined
	const judge = () => judgeCaller(deps, caller, asked.name, model)
	throwIf(judge())
	const target = resolveTarget(asked, connection ?? undefined)
	return {
		judge,
		plan: async (body) => {
			if (selectsModels(deps, caller)) {
				model = target.surface?.model ?? body.model
				throwIf(judge())
			}
			await requireOwnObjects(deps.objects, maker, target, body)
			const entry = target.ownKey ? null : connection
			const deferred = await deps.deferred.find(maker.workspaceId, target)
			const step = { connection: asked.name, entry, target, model: null, body, health: null, deferred }
			return new CallPlan([askForUsage(step, connection)], direct)
		},
	}
}

function throwIf(problem: Problem | null): void {
	if (problem) throw problem
}
