import { type LookupAddress, lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { buildConnector as connectors, Dispatcher, Response } from 'undici'
import {
	type AddressRuleOptions,
	type AddressRules,
	blockedAddress,
	createAddressRules,
	isThisMachine,
	plainAddress,
} from './address-rules.ts'
import { Problem } from './errors.ts'
import { UpstreamLane } from './http1/upstream-lane.ts'
import { traceHeaders } from './trace/current-trace.ts'
import { Agent, badPortsSet, buildConnector, wholeUndici } from './undici.ts'

const maxLength = 2048

/** Checks what can be checked of a URL before connecting: its form, a literal address, and `localhost`. */
function assertTarget(text: string, rules: ConnectRules): URL {
	const url = parseTarget(text)
	const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
	const literal = isIP(host) ? host : isLocalhost(host) ? '127.0.0.1' : null
	if (!literal) return url
	const refusal = rules.addresses.refusalOf(literal)
	if (refusal) throw blockedAddress(host, refusal)
	const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
	const own = rules
		.forbidden()
		.some(
			(target) =>
				target.port === port && (target.host === undefined ? isThisMachine(literal) : target.host === host),
		)
	if (own) throw blockedAddress(host, 'own')
	return url
}

function parseTarget(text: string): URL {
	const url = text.length <= maxLength ? URL.parse(text) : null
	if (!url?.hostname) throw malformed('is not an absolute URL')
	if (url.protocol !== 'http:' && url.protocol !== 'https:')
		throw malformed('must start with http:// or https://')
	if (url.username || url.password) throw malformed('must not carry a user name or password')
	return url
}

function isLocalhost(host: string): boolean {
	return /(^|\.)localhost$/i.test(host)
}

function malformed(detail: string): Problem {
	return new Problem('invalid_request', `The URL ${detail}.`, {
		errors: [{ pointer: '/url', code: 'format', detail }],
	})
}

/** Refuses a port to which `fetch` never connects. The dispatcher, which carries tool and model calls, has no such ports. */
export function refuseBadPort(url: URL): URL {
	if (!badPortsSet.has(url.port)) return url
	throw malformed(`has the port ${url.port}, which web clients refuse; use another`)
}

export interface SafeFetchInit {
	method?: string
	headers?: Record<string, string>
	body?: string | Uint8Array
	signal?: AbortSignal
	/** Limit for the whole exchange including the body; 30 s by default. */
	timeoutMs?: number
	/** Limit for the response body; 8 MiB by default. */
	maxBytes?: number
	/** Maximum number of redirects to follow; 5 by default. */
	redirects?: number
}

export interface SafeFetch {
	/** Checks the address of every connection it makes; for the data plane's `dispatch`. */
	dispatcher: Dispatcher
	/**
	 * Continues the trace of the request on whose behalf it runs. Rejects with a `Problem` (`blocked_address`, `invalid_request`) or
	 * the network error.
	 */
	fetch(url: string | URL, init?: SafeFetchInit): Promise<Response>
	/** A raw TCP connection, checked by the same rules. */
	connect(host: string, port: number): Promise<Socket>
	/**
	 * Parses the URL. Throws a `Problem`: `invalid_request` for its form, `blocked_address` for an address that is refused already.
	 */
	assertUrl(url: string): URL
	/** Closes open connections to addresses that are now refused; call it when the rules have changed. */
	closeRefused(): void
	close(): Promise<void>
}

/** @param allowedNetworks CIDR list of private networks that may be targets */
export interface SafeFetchOptions extends AddressRuleOptions {
	forbidden: () => readonly ForbiddenTarget[]
	resolve?: ConnectRules['resolve']
}

/** Hosts served by this program itself, under a reserved suffix. They are reached without TLS. */
export interface OwnHosts {
	/** The suffix of their names: `.demo.invalid`. */
	suffix: string
	connect(): Promise<Socket>
	close(): Promise<void>
}

const timeoutMs = 30_000
const maxBytes = 8 * 1024 * 1024
const maxRedirects = 5

/**
 * The only way out: all our outbound requests go through this fetch or its dispatcher. Connections to `ownHosts` lead to servers
 * inside this program.
 */
export function createSafeFetch(options: SafeFetchOptions, ownHosts?: OwnHosts): SafeFetch {
	const rules: ConnectRules = {
		addresses: createAddressRules(options),
		forbidden: options.forbidden,
		...(options.resolve && { resolve: options.resolve }),
	}
	const { connect: connectOutside, closeRefused } = createConnector(rules)
	const connect = ownHosts ? connectorFor(ownHosts, connectOutside) : connectOutside
	const undici = new Agent({
		connect,
		pipelining: 1,
		connections: null,
		allowH2: false,
		keepAliveTimeout: 10_000,
		keepAliveMaxTimeout: 300_000,
	})
	const dispatcher = new UpstreamLane(connect, undici)
	const assertUrl = (url: string) => assertTarget(url, rules)
	return {
		dispatcher,
		assertUrl,
		closeRefused,
		connect: (host, port) => connectPlainly(connectOutside, host, port),
		fetch: async (url, init = {}) => fetchFollowing(assertUrl(String(url)), init, dispatcher, assertUrl),
		close: async () => {
			await dispatcher.destroy()
			await ownHosts?.close()
		},
	}
}

function connectorFor(ownHosts: OwnHosts, connectOutside: connectors.connector): connectors.connector {
	return (options, callback) => {
		if (!options.hostname.endsWith(ownHosts.suffix)) return connectOutside(options, callback)
		ownHosts.connect().then(
			(socket) => callback(null, socket),
			(error: Error) => callback(error, null),
		)
	}
}

function connectPlainly(connect: connectors.connector, hostname: string, port: number): Promise<Socket> {
	return new Promise((resolve, reject) => {
		connect({ hostname, host: hostname, protocol: 'http:', port: String(port) }, (error, socket) =>
			socket ? resolve(socket) : reject(error ?? new Error('There is no connection.')),
		)
	})
}

async function fetchFollowing(
	first: URL,
	init: SafeFetchInit,
	dispatcher: Dispatcher,
	assertUrl: (url: string) => URL,
): Promise<Response> {
	const deadline = AbortSignal.timeout(init.timeoutMs ?? timeoutMs)
	const signal = init.signal ? AbortSignal.any([init.signal, deadline]) : deadline
	const headers = { ...traceHeaders(), ...init.headers }
	let hop: Hop = { url: first, method: init.method ?? 'GET', headers, body: init.body }
	const most = init.redirects ?? maxRedirects
	for (let left = most; ; left -= 1) {
		const { url, method, headers, body } = hop
		const response = await wholeUndici()
			.fetch(url.href, {
				method,
				headers,
				body: body ?? null,
				signal,
				dispatcher,
				redirect: 'manual',
			})
			.catch(rethrowCause)
		const location = isRedirect(response.status) ? response.headers.get('location') : null
		if (location === null) return withLimit(response, init.maxBytes ?? maxBytes)
		await response.body?.cancel()
		if (left === 0) throw new Problem('upstream_unreachable', refusedRedirect(url, location, most))
		hop = nextHop(hop, assertUrl(URL.parse(location, url.href)?.href ?? location), response.status)
	}
}

/** The rest of an address may be a secret. */
function refusedRedirect(from: URL, location: string, most: number): string {
	if (most > 0) return `${from.host} redirected too often.`
	const to = URL.parse(location, from.href)?.origin ?? 'no valid address'
	return `${from.host} redirected to ${to}. Redirects are not followed.`
}

/** The connector's refusal arrives as the cause of a `TypeError`. */
function rethrowCause(error: unknown): never {
	const cause = (error as Error).cause
	throw cause instanceof Problem || (error as Error).message === 'fetch failed' ? (cause ?? error) : error
}

interface Hop {
	url: URL
	method: string
	headers: Record<string, string>
	body: string | Uint8Array | undefined
}

function isRedirect(status: number): boolean {
	return status === 301 || status === 302 || status === 303 || status === 307 || status === 308
}

/** Headers that may be sent to another origin; any other header set by the caller could be a credential. */
const harmless = new Set([
	'accept',
	'accept-language',
	'content-type',
	'mcp-protocol-version',
	'mcp-method',
	'traceparent',
	'user-agent',
])

function nextHop({ url: from, method, headers, body }: Hop, url: URL, status: number): Hop {
	const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST'
	const sameOrigin = url.origin === from.origin
	if (!sameOrigin && !becomesGet && body !== undefined)
		throw new Problem(
			'upstream_unreachable',
			`${from.host} redirected a request with a body to another origin.`,
		)
	const kept = Object.entries(headers).filter(
		([name]) => (sameOrigin || harmless.has(name.toLowerCase())) && !(becomesGet && /^content-/i.test(name)),
	)
	return {
		url,
		headers: Object.fromEntries(kept),
		...(becomesGet ? { method: 'GET', body: undefined } : { method, body }),
	}
}

function withLimit(response: Response, limitBytes: number): Response {
	if (!response.body) return response
	let size = 0
	const counted = response.body.pipeThrough(
		new TransformStream<Uint8Array, Uint8Array>({
			transform: (chunk, controller) => {
				size += chunk.byteLength
				if (size > limitBytes)
					controller.error(
						new Problem('upstream_unreachable', `The answer is larger than ${limitBytes} bytes.`),
					)
				else controller.enqueue(chunk)
			},
		}),
	)
	return new (wholeUndici().Response)(counted, {
		status: response.status,
		statusText: response.statusText,
		headers: response.headers,
	})
}

/** A listener of ours that must never be a target; without `host`, a port on this machine. */
interface ForbiddenTarget {
	host?: string
	port: number
}

interface ConnectRules {
	addresses: AddressRules
	forbidden: () => readonly ForbiddenTarget[]
	/** Resolves a name; replaced in tests of DNS rebinding. */
	resolve?: (hostname: string) => Promise<LookupAddress[]>
}

const connectTimeoutMs = 10_000

interface Connector {
	connect: connectors.connector
	/** Closes open connections to addresses that the rules now refuse. */
	closeRefused(): void
}

/** Connects only to addresses that the rules allow; each address of a name is checked at the moment of connecting. */
function createConnector(rules: ConnectRules): Connector {
	const open = new Set<Socket>()
	const connectOne = checkedConnect(rules)
	return {
		connect: (options, callback) =>
			connectOne(options, (...result) => {
				const [, socket] = result
				if (socket) open.add(socket.once('close', () => open.delete(socket)))
				callback(...result)
			}),
		closeRefused: () => {
			for (const socket of open)
				if (rules.addresses.refusalOf(socket.remoteAddress ?? '') !== null) socket.destroy()
		},
	}
}

function checkedConnect(rules: ConnectRules): connectors.connector {
	const byPort = new Map<number, connectors.connector>()
	return (options, callback) => {
		const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
		const connect = connectorOf(byPort, port, rules)
		const host = options.hostname.replace(/^\[|\]$/g, '')
		if (isIP(host) === 0) return connect(options, callback)
		checkAddresses(host, [host], port, rules).then(
			() => connect(options, callback),
			(error: Error) => callback(error, null),
		)
	}
}

/** `lookup` is not given the port, so each port has its own connector. */
function connectorOf(
	byPort: Map<number, connectors.connector>,
	port: number,
	rules: ConnectRules,
): connectors.connector {
	const known = byPort.get(port)
	if (known) return known
	const connector = buildConnector({
		timeout: connectTimeoutMs,
		allowH2: false,
		lookup: checkedLookup(port, rules),
	})
	byPort.set(port, connector)
	return connector
}

function checkedLookup(port: number, rules: ConnectRules): LookupFunction {
	const resolve = rules.resolve ?? resolveAll
	return (hostname, options, callback) => {
		const answer = async () => {
			const found = await resolve(hostname)
			await checkAddresses(
				hostname,
				found.map(({ address }) => address),
				port,
				rules,
			)
			return options.family ? found.filter(({ family }) => family === Number(options.family)) : found
		}
		answer().then(
			(found) =>
				options.all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family),
			(error: NodeJS.ErrnoException) => callback(error, options.all ? [] : ''),
		)
	}
}

function resolveAll(hostname: string): Promise<LookupAddress[]> {
	return new Promise((done, fail) => {
		resolveName(hostname, { all: true }, (error, found) => (error ? fail(error) : done(found)))
	})
}

/** One refused address refuses the name: a name with both a public and a private address looks like a rebinding attack. */
async function checkAddresses(
	host: string,
	addresses: readonly string[],
	port: number,
	rules: ConnectRules,
): Promise<void> {
	for (const address of addresses) {
		const refusal = rules.addresses.refusalOf(address)
		if (refusal) throw blockedAddress(host, refusal)
	}
	const candidates = rules.forbidden().filter((target) => target.port === port)
	for (const target of candidates)
		if (await isTarget(target, host, addresses)) throw blockedAddress(host, 'own')
}

async function isTarget(
	target: ForbiddenTarget,
	host: string,
	addresses: readonly string[],
): Promise<boolean> {
	if (target.host === undefined) return addresses.some(isThisMachine)
	if (target.host.toLowerCase() === host.toLowerCase()) return true
	const own = isIP(target.host)
		? [target.host]
		: (await resolveAll(target.host).catch(() => [])).map(({ address }) => address)
	const plain = new Set(own.map(plainAddress))
	return addresses.some((address) => plain.has(plainAddress(address)))
}
