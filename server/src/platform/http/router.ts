import { plainPath } from './paths.ts'
import type { Route, RouteFamily } from './route.ts'

interface Node {
	literals: Map<string, Node>
	parameter: { name: string; node: Node } | null
	rest: { name: string; routes: Map<string, Route> } | null
	routes: Map<string, Route>
}

export type Match =
	| { found: true; route: Route; params: Readonly<Record<string, string>> }
	/** `family` is that of the path's other methods, if there are any. */
	| { found: false; allowed: string[]; family: RouteFamily | null }

const newNode = (): Node => ({ literals: new Map(), parameter: null, rest: null, routes: new Map() })

interface FoundPath {
	methods: Map<string, Route> | null
	params: Readonly<Record<string, string>>
}

/** Size of a cache: the data plane is called at the same few paths again and again. */
const rememberedPaths = 256
const rememberedLength = 256

/** Finds the route of a method and path. Literal segments take precedence over parameters, and parameters over a rest. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Match {
	const root = newNode()
	for (const route of routes) {
		addRoute(root, route, route.path)
		if (route.slash) addRoute(root, route, `${route.path}/`)
	}
	const found = new Map<string, FoundPath>()
	const find = (path: string): FoundPath => {
		const params: Record<string, string> = Object.create(null)
		const methods = walk(root, path.split('/').slice(1), 0, params)
		const entry = { methods, params: Object.freeze(params) }
		if (!methods || path.length > rememberedLength) return entry
		if (found.size >= rememberedPaths) found.clear()
		found.set(path, entry)
		return entry
	}
	return (method, path) => {
		const { methods, params } = found.get(path) ?? find(path)
		const route =
			methods?.get(method) ?? (method === 'HEAD' ? methods?.get('GET') : undefined) ?? methods?.get('*')
		return route
			? { found: true, route, params }
			: {
					found: false,
					allowed: methods ? [...methods.keys()] : [],
					family: methods?.values().next().value?.family ?? null,
				}
	}
}

function addRoute(root: Node, route: Route, path: string): void {
	let node = root
	for (const segment of path.split('/').slice(1)) {
		const name = segment.match(/^\{(\w+)(\.\.\.)?\}$/)
		if (name?.[2]) {
			node.rest ??= { name: name[1] as string, routes: new Map() }
			setOnce(node.rest.routes, route)
			return
		}
		node = name ? parameterNode(node, name[1] as string) : literalNode(node, segment)
	}
	setOnce(node.routes, route)
}

function setOnce(routes: Map<string, Route>, route: Route): void {
	if (routes.has(route.method)) throw new Error(`Two routes answer ${route.method} ${route.path}`)
	routes.set(route.method, route)
}

function parameterNode(node: Node, name: string): Node {
	node.parameter ??= { name, node: newNode() }
	return node.parameter.node
}

function literalNode(node: Node, segment: string): Node {
	const known = node.literals.get(segment)
	if (known) return known
	const created = newNode()
	node.literals.set(segment, created)
	return created
}

function walk(
	node: Node,
	segments: string[],
	index: number,
	params: Record<string, string>,
): Map<string, Route> | null {
	if (index === segments.length && node.routes.size > 0) return node.routes
	const segment = segments[index]
	if (segment !== undefined) {
		const literal = node.literals.get(segment)
		const byLiteral = literal && walk(literal, segments, index + 1, params)
		if (byLiteral) return byLiteral
		const byParameter =
			node.parameter && segment !== '' && walk(node.parameter.node, segments, index + 1, params)
		if (byParameter) {
			params[node.parameter?.name as string] = decode(segment)
			return byParameter
		}
	}
	if (!node.rest) return null
	params[node.rest.name] = segments.slice(index).join('/')
	return node.rest.routes
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment)
	} catch {
		return segment
	}
}

/** Whether a `POST` to a target may take the fast lane, according to its route. */
export function createLaneRule(routes: readonly Route[]): (target: string) => boolean {
	const match = createRouter(routes)
	return (target) => {
		try {
			const found = match('POST', plainPath(target).path)
			return found.found && found.route.lane === true
		} catch {
			// The ingress refuses such a path on either lane.
			return false
		}
	}
}
