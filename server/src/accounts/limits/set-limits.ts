import type { BodyOf, limitOperations } from '@signalbox/contract'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import { principalIn, type Quotas, type RequestContext } from '../../platform/http/index.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { type Audit, actorOf } from '../audit/index.ts'
import { isSame, isWithin, type LimitConfig } from './instance-limits.ts'
import { type LimitRow, listLimits, replaceLimits } from './limit-repository.ts'
import { toQuota } from './limit-view.ts'
import { type LimitDocument, presentLimits } from './present-limits.ts'

type Wanted = BodyOf<(typeof limitOperations)['replace']>['limits'][number]

export interface LimitContext {
	mutate: Mutate
	audit: Audit
	clock: Clock
	config: LimitConfig
	/** Of the instance. */
	quotas: Quotas
	/** The most that a workspace may give itself. */
	ceilings: Quotas
}

/** Sets what the workspace wants, within the ceilings; classes that equal the instance's follow it. */
export async function setLimits(
	context: LimitContext,
	request: RequestContext,
	wanted: readonly Wanted[],
): Promise<LimitDocument[]> {
	const principal = principalIn(request)
	const { workspaceId } = principal
	return context.mutate(async (tx) => {
		const before = presentLimits(context, await listLimits(tx, workspaceId))
		requireUnchanged({ limits: before })
		refuseBad(context, wanted, before)
		const rows = rowsOf(context, workspaceId, wanted)
		await replaceLimits(tx, workspaceId, rows)
		const limits = presentLimits(context, rows)
		await context.audit.record(tx, {
			workspaceId,
			actor: actorOf(principal),
			action: 'limits.replace',
			target: null,
			detail: { limits: limits.filter(({ source }) => source === 'workspace') },
			requestId: request.requestId,
		})
		await appendChange(tx, 'limit', workspaceId, context.clock)
		return limits
	})
}

function rowsOf({ quotas, clock }: LimitContext, workspaceId: string, wanted: readonly Wanted[]): LimitRow[] {
	const own = wanted.filter((limit) => !isSame(toQuota(limit), quotas[limit.class]))
	return own.map(({ class: name, requests, window_s }) => ({
		workspace_id: workspaceId,
		class: name,
		requests,
		window_s,
		updated_at: clock.nowMs(),
	}))
}

/** With less nobody could undo it. */
const least = { requests: 10, windowMs: 10_000 }

function refuseBad(
	{ quotas, ceilings }: LimitContext,
	wanted: readonly Wanted[],
	before: LimitDocument[],
): void {
	for (const [index, limit] of wanted.entries()) {
		const { class: name, requests, window_s } = limit
		const refuse = (detail: string) => refused(`/limits/${index}`, detail)
		if (wanted.findIndex((other) => other.class === name) !== index) throw refuse(`names ${name} again`)
		if ((requests === null) !== (window_s === null))
			throw refuse('requests and window_s are both null, or neither')
		const quota = toQuota(limit)
		const present = before.find((other) => other.class === name) as LimitDocument
		if (isSame(quota, toQuota(present))) refuseChanged(limit, present, ['per', 'source'])
		if (name === 'api' && quota && !isWithin(least, quota)) throw refuse('may be no less than 10 in 10 s')
		if (name === 'anonymous' && !isSame(quota, quotas.anonymous)) throw refuse('is set by the operator alone')
		if (!isWithin(quota, ceilings[name]))
			throw refuse(
				`may be at most ${ceilings[name]?.requests} in ${(ceilings[name]?.windowMs ?? 0) / 1000} s`,
			)
	}
}

function refused(pointer: string, detail: string): Problem {
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'limit', detail }],
	})
}
