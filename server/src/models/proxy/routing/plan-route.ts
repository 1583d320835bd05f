import type { RouteStrategy } from '@signalbox/contract'
import { matchesModel } from '../../../access/grants/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import { Problem } from '../../../platform/errors.ts'
import type { CallBody } from '../call-body.ts'
import type { ConnectionEntry, ConnectionView } from '../connections/connection-view.ts'
import { requireOwnObjects } from '../objects/require-own-objects.ts'
import {
	type CallPlanner,
	type DirectDependencies,
	type IncomingCall,
	type RequestedModels,
	refusalOfCaller,
	requestedModels,
} from '../plan-direct.ts'
import { providers } from '../providers/index.ts'
import { CallPlan, requestedIn, type Step } from '../reliability/call-plan.ts'
import type { HealthOfTargets } from '../reliability/target-health.ts'
import { type ProxyRequest, resolveTarget } from '../target.ts'
import { askForUsage } from '../usage-injection/ask-for-usage.ts'
import type { ModelRoute, RouteTarget } from './model-route.ts'

/** A step with its weight. */
interface Candidate {
	step: Step
	weight: number
}

/** The order in which targets are tried. Those with an open circuit are last: better than no answer at all. */
function orderTargets(
	candidates: readonly Candidate[],
	strategy: RouteStrategy,
	nowMs: number,
	random: () => number = Math.random,
): Step[] {
	const open: Step[] = []
	const others: Step[] = []
	let passedOver: Step[] = []
	for (const step of orders[strategy](candidates, nowMs, random)) {
		if (step.health?.isOpen(nowMs)) {
			open.push(step)
			passedOver.push(step)
		} else {
			others.push(passedOver.length > 0 ? { ...step, passedOver } : step)
			passedOver = []
		}
	}
	return [...others, ...open]
}

type Order = (candidates: readonly Candidate[], nowMs: number, random: () => number) => Step[]

const orders: Record<RouteStrategy, Order> = {
	ordered: (candidates) => candidates.map(({ step }) => step),
	weighted: (candidates, _nowMs, random) => draw(candidates, random),
	least_latency: (candidates, nowMs) =>
		candidates
			.map(({ step }) => ({ step, load: step.health?.loadAt(nowMs) ?? 0 }))
			.sort((a, b) => a.load - b.load)
			.map(({ step }) => step),
}

/** Weighted random order, by the exponential variates of Efraimidis and Spirakis. */
function draw(candidates: readonly Candidate[], random: () => number): Step[] {
	return candidates
		.map(({ step, weight }) => ({ step, at: -Math.log(1 - random()) / weight }))
		.sort((a, b) => a.at - b.at)
		.map(({ step }) => step)
}

export interface RouteDependencies extends DirectDependencies {
	connections: ConnectionView
	health: HealthOfTargets
	clock: Clock
}

/**
 * A call to a route: its steps in the order in which they are tried. A target that the caller may not use directly is left out;
 * if none is left, the first one's Problem refuses the call.
 */
export function routedWay(deps: RouteDependencies, call: IncomingCall, route: ModelRoute): CallPlanner {
	let wanted: RequestedModels = []
	return {
		refusal: (step) =>
			step && refusalOfCaller(deps, call.caller, step.connection, ranOver(step.model, wanted)),
		plan: async (body) => {
			const plan = await planRoute(deps, route, call, body)
			const { surface } = plan.first.target
			wanted = [requestedIn(plan.first, body), ...requestedModels(surface, body, call.asked.search).slice(1)]
			return plan
		},
	}
}

async function planRoute(
	deps: RouteDependencies,
	route: ModelRoute,
	call: IncomingCall,
	body: CallBody,
): Promise<CallPlan> {
	const candidates: Candidate[] = []
	let first: Problem | null = null
	for (const target of route.targets) {
		try {
			const step = await stepTo(deps, target, call, body)
			if (step && speaksLike(step, candidates[0]?.step)) candidates.push({ step, weight: target.weight })
		} catch (error) {
			if (!(error instanceof Problem)) throw error
			first ??= error
		}
	}
	const [head, ...rest] = orderTargets(candidates, route.strategy, deps.clock.nowMs())
	if (!head)
		throw first ?? new Problem('not_found', `The route ${route.rules.route} has no target for this model.`)
	return new CallPlan([head, ...rest], route.rules)
}

/** Null if the target cannot serve this model. */
async function stepTo(
	deps: RouteDependencies,
	{ connection: name, model, for_models }: RouteTarget,
	{ caller, maker, asked }: IncomingCall,
	body: CallBody,
): Promise<Step | null> {
	const entry = deps.connections.find(caller.workspaceId, name)
	if (!entry) throw new Problem('not_found', `The route's connection ${name} does not exist.`)
	// A caller's own key is for one provider, and must not be sent to another.
	const headers = { ...asked.headers, 'x-service-api-key': undefined }
	const addressed = { ...asked, name, headers }
	const surface = resolveTarget(addressed, entry).surface
	const models = requestedModels(surface, body, asked.search)
	const wanted = surface?.model ?? body.model
	if (!for_models.some((pattern) => matchesModel(pattern, wanted))) return null
	if (!surface?.modelCall && asked.method !== 'GET') throw notRouted(asked)
	const refused = refusalOfCaller(deps, caller, name, ranOver(model, models))
	if (refused) throw refused
	const renamed = model !== null && surface?.modelCall === true && model !== wanted
	const sent = renamed
		? withModel({ asked: addressed, body }, surface.model ?? null, model)
		: { asked: addressed, body }
	const target = resolveTarget(sent.asked, entry)
	await requireOwnObjects(deps.objects, maker, target, sent.body)
	const health = deps.health.of(entry, model ?? wanted ?? '')
	const deferred = await deps.deferred.find(maker.workspaceId, target)
	const as = renamed ? model : null
	const retarget = (now: ConnectionEntry) => resolveTarget(sent.asked, now)
	const step = { connection: name, entry, target, retarget, model: as, body: sent.body, health, deferred }
	return askForUsage({ ...step, inPath: surface?.model }, entry)
}

/** The models of a call over a target, which may replace the call's own. */
function ranOver(model: string | null, [own = null, ...others]: RequestedModels): RequestedModels {
	return [model ?? own, ...others]
}

/** Replaces the call's model by another one, in its path or in its body. */
function withModel(
	{ asked, body }: { asked: ProxyRequest; body: CallBody },
	inPath: string | null,
	model: string,
): { asked: ProxyRequest; body: CallBody } {
	if (inPath !== null) return { asked: { ...asked, path: withModelInPath(asked.path, inPath, model) }, body }
	const changed = replaceModel(body, model)
	if (changed) return { asked, body: changed }
	throw new Problem(
		'invalid_request',
		'The route names another model, and the body has none that could be replaced.',
	)
}

/** A model in a path: the segment after these words, or the first one if the base URL ends with such a word. */
const modelSegment = /(?<=(?:^|\/)(?:models?|deployments)\/)[^/]+/

/** The segment may be encoded, as by AWS's clients, and in Google's paths a method follows after a colon. */
function withModelInPath(path: string, before: string, model: string): string {
	return path.replace(modelSegment.test(path) ? modelSegment : /^[^/]+/, (segment) => {
		const method = decodeURIComponent(segment) === before ? '' : segment.slice(segment.lastIndexOf(':'))
		return encodeURIComponent(model) + method
	})
}

/** Whether two targets have the same dialect: nothing is translated. */
function speaksLike(step: Step, first: Step | undefined): boolean {
	return !first || providers[step.target.provider] === providers[first.target.provider]
}

function notRouted({ method, path }: ProxyRequest): Problem {
	const detail = `${method} /${path} cannot be called over a route, because it could run twice; call a connection.`
	return new Problem('path_not_allowed', detail)
}

/** The body with another model, otherwise identical to the byte; null if no model can be found in it. */
export function replaceModel(body: CallBody, model: string): CallBody | null {
	const member = body.member('model')
	if (!member || body.plain[member.from] !== 0x22) return null
	return body.edited(member.from, member.to, JSON.stringify(model))
}
