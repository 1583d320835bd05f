import type { Clock } from '../../../platform/clock.ts'
import { type Processes, primary } from '../../../platform/processes/index.ts'
import type { ModelLimitView } from './limit-view.ts'
import { type Admission, type LimitedCall, ModelLimiter, type ModelLimits } from './model-limiter.ts'

interface Entering {
	/** Of the call, unique in its worker. */
	id: number
	call: LimitedCall
	estimated: number
}

interface Leaving {
	id: number
	tokens: number | null
}

const enterCall = 'model-limits.enter'
const leaveCall = 'model-limits.leave'

/** A worker has its calls counted by the primary, which counts for all. */
export function createModelLimits(view: ModelLimitView, clock: Clock, processes: Processes): ModelLimits {
	if (processes.number !== primary) return limitsOfPrimary(view, processes)
	const limiter = new ModelLimiter(view, clock)
	countForWorkers(limiter, processes)
	return limiter
}

function limitsOfPrimary(view: ModelLimitView, processes: Processes): ModelLimits {
	let lastId = 0
	return {
		enter: ({ workspaceId, agentId, keyId, connection }, estimate) => {
			if (view.of(workspaceId).length === 0) return null
			const id = ++lastId
			const call = { workspaceId, agentId, keyId, connection }
			const entering: Entering = { id, call, estimated: estimate() }
			return processes.ask<readonly string[] | null>(primary, enterCall, entering).then((headers) => {
				const leave = (tokens: number | null) => processes.tell(primary, leaveCall, { id, tokens })
				return headers && { headers, leave }
			})
		},
	}
}

/** Calls of a worker that ends have ended too; what they used nobody knows. */
function countForWorkers(limiter: ModelLimiter, processes: Processes): void {
	const admitted = new Map<number, Map<number, Admission>>()
	processes.answer(enterCall, ({ id, call, estimated }: Entering, worker) => {
		const admission = limiter.enter(call, () => estimated)
		if (!admission) return null
		const calls = admitted.get(worker) ?? new Map<number, Admission>()
		admitted.set(worker, calls.set(id, admission))
		return admission.headers
	})
	processes.answer(leaveCall, ({ id, tokens }: Leaving, worker) => {
		const calls = admitted.get(worker)
		calls?.get(id)?.leave(tokens)
		calls?.delete(id)
	})
	processes.onEnded((worker) => {
		for (const admission of admitted.get(worker)?.values() ?? []) admission.leave(null)
		admitted.delete(worker)
	})
}
