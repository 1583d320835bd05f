import { randomBytes } from 'node:crypto'
import type { Role } from '@signalbox/contract'
import { publicAddress } from '../../config/public-address.ts'
import { ChangeFeed } from '../../platform/changes.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { readMasterKeys } from '../../platform/crypto/master-key-file.ts'
import { MasterKeyRotation } from '../../platform/crypto/master-key-rotation.ts'
import { createKeyring, type Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { createApi } from '../../platform/http/api.ts'
import { createAnswerCheck } from '../../platform/http/check-answer.testing.ts'
import { createClientAddressOf } from '../../platform/http/client-address.ts'
import { createOriginCheck } from '../../platform/http/cors.ts'
import { createIdempotency } from '../../platform/http/idempotency.ts'
import { createIngress } from '../../platform/http/ingress.ts'
import { listen } from '../../platform/http/listener.ts'
import { LiveRequests } from '../../platform/http/live-requests.ts'
import type { BoundOperation } from '../../platform/http/operations.ts'
import type { RateLimiter } from '../../platform/http/rate-limiter.ts'
import { refuseWithProblem } from '../../platform/http/refusals.ts'
import type { RefusalWriter, Route, RouteFamily } from '../../platform/http/route.ts'
import { createLaneRule } from '../../platform/http/router.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import { openJobs } from '../../platform/jobs/open-jobs.ts'
import { type Log, silentLog } from '../../platform/log.ts'
import { createMutate, type Mutate } from '../../platform/mutation.ts'
import { createSafeFetch } from '../../platform/safe-fetch.ts'
import { type Audit, openAudit } from '../audit/audit.ts'
import { type Identity, openIdentity } from './identity.ts'
import { type IdentityConfig, type Instance, openInstance } from './instance/instance-view.ts'
import { joinWorkspace, setUpOwner, signUp, type TestPerson } from './testing-people.ts'

/** The dependencies of an area under test. */
export interface TestCore {
	store: ControlStore
	feed: ChangeFeed
	mutate: Mutate
	audit: Audit
	sealer: Sealer
	clock: Clock
	log: Log
	identity: Identity
	instance: Instance
	liveRequests: LiveRequests
	/** Not started, unless a test does so. */
	jobs: Jobs
}

export interface TestAreas {
	operations?: BoundOperation[]
	routes?: Route[]
	limiter?: RateLimiter
	/** The error format of a route family; problem+json by default. */
	refusals?: Partial<Record<RouteFamily, RefusalWriter>>
}

export interface TestOptions {
	/** Opens the areas under test on the core, before the change feed starts. */
	open?(core: TestCore): MaybePromise<TestAreas>
	config?: Partial<IdentityConfig>
	/** Leaves the instance without its first operator; `owner` must not be used then. */
	withoutOwner?: true
	clock?: Clock
	log?: Log
	/** Like SIGNALBOX_TRUSTED_PROXIES: lets a test send requests from any address. */
	trustedProxies?: string[]
	/** The same for every app on one store; random by default. */
	masterKey?: Buffer
	/** A data directory with a `master.key`, which replaces `masterKey`. */
	dataDir?: string
	/** Memory for password hashes: small, so that tests that are not about hashing are fast. */
	passwordMemoryKib?: number
}
type MaybePromise<T> = T | Promise<T>

export interface TestAnswer {
	status: number
	headers: Headers
	// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of the response.
	body: any
	text: string
}

export interface TestRequest {
	/** Sent as `Authorization: Bearer`. */
	token?: string
	headers?: Record<string, string>
	/** Sent as JSON. */
	body?: unknown
}

export type { TestPerson } from './testing-people.ts'

export interface TestApp extends TestCore {
	url: string
	/** The operator, owner of the workspace `default`. */
	owner: TestPerson
	request(method: string, path: string, options?: TestRequest): Promise<TestAnswer>
	/** Registers a new person as the owner of a new workspace. */
	register(): Promise<TestPerson>
	/** Creates a new person with a role in the operator's workspace. */
	memberOf(role: Role): Promise<TestPerson>
	close(): Promise<void>
}

const loopback: IdentityConfig = {
	HOST: '127.0.0.1',
	PORT: 0,
	PUBLIC_URL: null,
	SIGNUP: null,
	PASSWORD_LOGIN: 'on',
	WORKSPACES_PER_PERSON: 100,
	signInProviders: [],
	SMTP_URL: null,
	MAIL_FROM: null,
	ALLOWED_PRIVATE_NETWORKS: null,
	exposed: false,
	INIT_ADMIN_EMAIL: null,
	INIT_ADMIN_PASSWORD: null,
	INIT_PLATFORM_KEY: null,
	INIT_INGEST_TOKEN: null,
}

/** The real ingress, API and identity area on a store, with the areas under test, on a free port of 127.0.0.1. */
export async function startTestApp(store: ControlStore, options: TestOptions = {}): Promise<TestApp> {
	const { core, ingress, usesFastLane, close } = await openCore(store, options)
	const listener = await listen('127.0.0.1', 0, ingress, { usesFastLane })
	const url = `http://127.0.0.1:${listener.port}`
	const request = (method: string, path: string, input?: TestRequest) => send(url + path, method, input)
	const owner = options.withoutOwner ? (undefined as never) : await setUpOwner(core, request)
	return {
		...core,
		url,
		owner,
		request,
		register: () => signUp(request, '/auth/register', {}),
		memberOf: (role) => joinWorkspace(request, owner, role),
		close: async () => {
			await listener.close(1000)
			await close()
		},
	}
}

/** One master key per store: what one app sealed, the next one on the same store must open. */
const masterKeys = new WeakMap<ControlStore, Buffer>()

function masterKeyOf(store: ControlStore): Buffer {
	const key = masterKeys.get(store) ?? randomBytes(32)
	masterKeys.set(store, key)
	return key
}

async function openCore(store: ControlStore, options: TestOptions) {
	const { clock = systemClock, log = silentLog } = options
	const { dataDir = null } = options
	const key = dataDir === null ? (options.masterKey ?? masterKeyOf(store)) : readMasterKeys(dataDir).newest
	const sealer = createKeyring([key])
	const masterKey = new MasterKeyRotation({ store, ring: sealer, dataDir, clock, log, settleMs: 0 })
	const feed = new ChangeFeed(store, log, clock)
	const mutate = createMutate(store, feed)
	const audit = openAudit({ store, sealer, clock })
	const shared = { store, feed, mutate, audit, sealer, clock, log }
	const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
	const config = { ...loopback, ...options.config }
	const instance = openInstance({ ...shared, config })
	const identity = await openIdentity({
		...shared,
		instance,
		masterKey,
		safeFetch,
		passwordMemoryKib: options.passwordMemoryKib ?? 1024,
		config,
		publicAddress: () => publicAddress(config),
	})
	const core: TestCore = {
		...shared,
		identity,
		instance,
		liveRequests: new LiveRequests(),
		jobs: openJobs(shared),
	}
	const area: TestAreas = (await options.open?.(core)) ?? {}
	const bound = [...audit.operations, ...identity.operations, ...(area.operations ?? [])]
	const api = await createApi(bound, log, audit.recordDenial, createIdempotency(shared), audit.countDenial)
	feed.onApplied(() => core.liveRequests.recheck())
	await feed.start()
	await audit.start()
	await identity.start()
	const close = async () => {
		await masterKey.close()
		await core.jobs.close()
		await identity.close()
		await audit.close()
		await feed.stop()
		await api.close()
		await safeFetch.close()
	}
	const routes = [...api.routes, ...audit.routes, ...(area.routes ?? [])]
	return {
		core,
		ingress: ingressOf(core, routes, area, options.trustedProxies),
		usesFastLane: createLaneRule(routes),
		close,
	}
}

function ingressOf(
	{ identity, audit, liveRequests, log }: TestCore,
	routes: Route[],
	{ refusals, limiter }: TestAreas,
	trustedProxies: string[] | null = null,
) {
	return createIngress({
		routes,
		authenticate: identity.authenticate,
		refusals: {
			api: refuseWithProblem,
			page: refuseWithProblem,
			mcp: refuseWithProblem,
			model: refuseWithProblem,
			otlp: refuseWithProblem,
			...refusals,
		},
		stillAllowedFrom: (principal, address) => identity.stillAllowedFrom(principal, address),
		stillValid: (principal) => identity.stillValid(principal),
		checkOrigin: createOriginCheck({ publicHost: null, loopbackOnly: true, corsOrigins: [] }),
		onDenied: (route, principal, problem, requestId) =>
			route.family === 'api'
				? audit.recordDenial({ principal, routeId: route.id, problem, requestId })
				: undefined,
		onAnonymousDenied: audit.countDenial,
		clientAddressOf: createClientAddressOf(trustedProxies),
		...(limiter && { limiter }),
		liveRequests,
		log,
	})
}

/** Checks every response of the platform API against its OpenAPI document. */
const checkAnswer = createAnswerCheck()

async function send(
	url: string,
	method: string,
	{ token, headers, body }: TestRequest = {},
): Promise<TestAnswer> {
	const answer = await fetch(url, {
		method,
		headers: {
			...(body !== undefined && { 'content-type': 'application/json' }),
			...(token !== undefined && { authorization: `Bearer ${token}` }),
			...headers,
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	})
	const text = await answer.text()
	const { pathname } = new URL(url)
	checkAnswer({
		method,
		path: pathname,
		status: answer.status,
		contentType: answer.headers.get('content-type'),
		text,
	})
	const isJson = /[/+]json/.test(answer.headers.get('content-type') ?? '')
	return {
		status: answer.status,
		headers: answer.headers,
		text,
		body: isJson && text ? JSON.parse(text) : undefined,
	}
}
