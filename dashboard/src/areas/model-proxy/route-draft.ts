import type { ModelRoute, RouteInput } from './queries.ts'

/** A target while it is being edited. */
export interface TargetDraft {
	key: number
	connection: string
	model: string
	weight: string
	/** Separated by commas; empty: all models. */
	forModels: string
}

/** A route while it is being edited; times are in seconds. */
export interface RouteDraft {
	name: string
	strategy: ModelRoute['strategy']
	retries: string
	firstToken: string
	idle: string
	total: string
	targets: readonly TargetDraft[]
}

let lastKey = 0

export function newTarget(connection = ''): TargetDraft {
	lastKey += 1
	return { key: lastKey, connection, model: '', weight: '1', forModels: '' }
}

export function draftOf(route: ModelRoute): RouteDraft {
	const { name, strategy, retries, targets } = route
	return {
		...{ name, strategy, retries: String(retries) },
		firstToken: toSeconds(route.first_token_timeout_ms),
		idle: toSeconds(route.idle_timeout_ms),
		total: toSeconds(route.total_timeout_ms),
		targets: targets.map(({ connection, model, weight, for_models }) => ({
			...newTarget(connection),
			model: model ?? '',
			weight: String(weight),
			forModels: for_models.join() === '*' ? '' : for_models.join(', '),
		})),
	}
}

export function inputOf({
	name,
	strategy,
	retries,
	firstToken,
	idle,
	total,
	targets,
}: RouteDraft): RouteInput {
	return {
		...{ name: name.trim(), strategy, retries: Number(retries) },
		first_token_timeout_ms: toMs(firstToken),
		idle_timeout_ms: toMs(idle),
		total_timeout_ms: toMs(total),
		targets: targets.map(({ connection, model, weight, forModels }) => {
			const models = forModels.split(',').map((one) => one.trim())
			const named = models.filter((one) => one !== '')
			return {
				...{ connection, model: model.trim() || null, weight: Number(weight) },
				for_models: named.length > 0 ? named : ['*'],
			}
		}),
	}
}

function toSeconds(ms: number | null): string {
	return ms === null ? '' : String(ms / 1000)
}

function toMs(seconds: string): number | null {
	return seconds.trim() === '' ? null : Math.round(Number(seconds) * 1000)
}
