import type { Capture, Options } from './options.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The configuration from options, environment and defaults. */
export interface Config {
	/** Where spans are sent; null: nowhere. */
	tracesUrl: string | null
	metricsUrl: string | null
	headers: Readonly<Record<string, string>>
	serviceName: string | null
	serviceVersion: string | null
	resource: Readonly<Record<string, string>>
	agent: string | null
	capture: Required<Capture>
	conventions: 'current' | 'earlier'
	pipeline: 'auto' | 'own'
	disabled: boolean
	/** How long spans wait for others of the same batch. */
	delayMs: number
	metricsIntervalMs: number
	timeoutMs: number
	problems: readonly string[]
	log: ((message: string) => void) | null
}

/** Never throws: a wrong value is reported in `problems`, and its default is used. */
export function readConfig(options: Options, environment: Environment = process.env): Config {
	const problems: string[] = []
	const read = new Reader(environment, problems)
	const addresses = readAddresses(options, read)
	return {
		...addresses,
		headers: readHeaders(options, read),
		serviceName: read.text(options.serviceName, 'SERVICE_NAME', 'OTEL_SERVICE_NAME'),
		serviceVersion: read.text(options.serviceVersion, 'SERVICE_VERSION'),
		resource: parsePairs(environment.OTEL_RESOURCE_ATTRIBUTES),
		agent: read.text(options.agent, 'AGENT'),
		capture: readCapture(options.capture ?? undefined, read),
		conventions: read.choice('conventions', options.conventions, 'CONVENTIONS', ['current', 'earlier']),
		pipeline: read.choice('pipeline', options.pipeline, 'PIPELINE', ['auto', 'own']),
		disabled: /^true$/i.test(read.text(undefined, 'DISABLED', 'OTEL_SDK_DISABLED') ?? ''),
		delayMs: read.number('DELAY_MS', 'OTEL_BSP_SCHEDULE_DELAY', 1000),
		metricsIntervalMs: read.number('METRICS_INTERVAL_MS', 'OTEL_METRIC_EXPORT_INTERVAL', 60_000),
		timeoutMs: read.number('TIMEOUT_MS', 'OTEL_EXPORTER_OTLP_TIMEOUT', 10_000),
		problems,
		log: readLog(options, read),
	}
}

/** Reads a value from its sources; the first one that has it wins. */
class Reader {
	readonly #environment: Environment
	readonly problems: string[]

	constructor(environment: Environment, problems: string[]) {
		this.#environment = environment
		this.problems = problems
	}

	text(option: unknown, own: string, standard?: string): string | null {
		if (typeof option === 'string' && option !== '') return option
		if (option !== undefined && option !== null && option !== '')
			this.problems.push(
				`The option in place of SIGNALBOX_SDK_${own} is no text (${typeof option}); it is ignored.`,
			)
		return this.#environment[`SIGNALBOX_SDK_${own}`] || (standard && this.#environment[standard]) || null
	}

	choice<T extends string>(name: string, option: unknown, own: string, allowed: readonly [T, ...T[]]): T {
		const given = this.text(option, own)
		if (given === null || allowed.includes(given as T)) return (given as T | null) ?? allowed[0]
		this.problems.push(`${name} is ${JSON.stringify(given)}; it must be ${allowed.join(' or ')}.`)
		return allowed[0]
	}

	number(own: string, standard: string, byDefault: number): number {
		const given = this.text(undefined, own, standard)
		if (given === null) return byDefault
		if (/^\d{1,9}(?:\.\d{1,9})?$/.test(given.trim()) && Number(given) > 0) return Number(given)
		this.problems.push(
			`${own} or ${standard} is ${JSON.stringify(given)}; it must be a number of milliseconds.`,
		)
		return byDefault
	}
}

function readAddresses(options: Options, read: Reader) {
	const own = read.text(options.endpoint, 'ENDPOINT')
	const standard = read.text(undefined, 'ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT')
	const base = checkedUrl(own ?? standard, read.problems)
	const of = (signal: string, standardName: string) =>
		checkedUrl(own ? null : read.text(undefined, '', standardName), read.problems) ??
		joined(base, `v1/${signal}`)
	const tracesUrl = of('traces', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
	const metricsUrl = of('metrics', 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT')
	return { tracesUrl, metricsUrl }
}

function joined(base: string | null, path: string): string | null {
	return base === null ? null : `${base.replace(/\/+$/, '')}/${path}`
}

function checkedUrl(given: string | null, problems: string[]): string | null {
	if (given === null) return null
	const url = given.trim()
	if (URL.canParse(url) && /^https?:\/\//i.test(url)) return url
	problems.push(`The endpoint ${JSON.stringify(url)} is no http or https address; nothing is sent there.`)
	return null
}

function readHeaders(options: Options, read: Reader): Record<string, string> {
	const given = parsePairs(read.text(undefined, 'HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS') ?? undefined)
	const headers = Object.fromEntries(
		Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]),
	)
	const token = read.text(options.token, 'TOKEN')
	if (token !== null) headers.authorization = `Bearer ${token}`
	for (const [name, value] of Object.entries(headers)) {
		if (/^[\w-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)) continue
		read.problems.push(`The value of the header ${JSON.stringify(name)} cannot be sent; it is left out.`)
		delete headers[name]
	}
	return headers
}

/** `a=1,b=2` with percent-encoded values, the format of lists in `OTEL_*`. */
function parsePairs(text: string | undefined): Record<string, string> {
	const pairs = (text ?? '').split(',').map((pair) => pair.split('='))
	return Object.fromEntries(
		pairs.flatMap(([name, ...value]) =>
			name?.trim() ? [[name.trim(), decoded(value.join('=').trim())]] : [],
		),
	)
}

/** A percent-encoded text; one that is not well-formed as it is. */
export function decoded(value: string): string {
	try {
		return decodeURIComponent(value)
	} catch {
		return value
	}
}

function readCapture(option: boolean | Capture | undefined, read: Reader): Required<Capture> {
	const asked = typeof option === 'object' ? option : {}
	if (!['undefined', 'boolean', 'object'].includes(typeof option))
		read.problems.push('capture must be true, false or an object; nothing is captured.')
	const words = read.choice('capture', undefined, 'CAPTURE', ['none', 'arguments', 'results', 'all'])
	const all = option === true || (option === undefined && words === 'all')
	const fromWords = (word: string) => option === undefined && words === word
	const maxLength = asked.maxLength ?? 8192
	const isValid = Number.isInteger(maxLength) && maxLength >= 16 && maxLength <= 65_536
	if (!isValid) read.problems.push('capture.maxLength must be between 16 and 65536; 8192 holds.')
	return {
		arguments: all || fromWords('arguments') || asked.arguments === true,
		results: all || fromWords('results') || asked.results === true,
		maxLength: isValid ? maxLength : 8192,
	}
}

function readLog(options: Options, read: Reader): ((message: string) => void) | null {
	if (typeof options.log === 'function') return options.log
	if (read.text(undefined, 'LOG') !== 'stderr') return null
	return (message) => void process.stderr.write(`signalbox: ${message}\n`)
}
