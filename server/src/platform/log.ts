import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { standardOutput } from './log-output.ts'
import { currentTrace } from './trace/index.ts'

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'level'>

const secretPaths = [
	'password',
	'token',
	'key',
	'secret',
	'authorization',
	'cookie',
	'setup_token',
	'refresh_token',
]

/** Matches every credential of ours, provider keys of the usual forms, and key parameters in addresses. */
const secretText =
	/\b(?:sk|it|rt|su|vt|pw|iv)_service_[A-Za-z0-9]+|\beyJ[\w-]+\.[\w-]+\.[\w-]+|\bsk-[A-Za-z0-9_-]{8,}|([?&](?:key|token)=)[^&\s"]+|\bBearer\s+[^\s"]+/g

/** Blanks out credentials inside free text (an error's message, an address). */
export function redactText(text: string): string {
	return text.replace(secretText, (_match, parameter?: string) => `${parameter ?? ''}[redacted]`)
}

/** Structured logs on standard output, one JSON line an event, without secrets. */
export function createLog(level: string, to: DestinationStream = standardOutput()): Log {
	const options: LoggerOptions = {
		level,
		base: null,
		mixin: traceOfLine,
		timestamp: pino.stdTimeFunctions.isoTime,
		redact: {
			paths: secretPaths.flatMap((path) => [path, `*.${path}`, `*.*.${path}`]),
			censor: '[redacted]',
		},
		formatters: { level: (label) => ({ level: label }) },
		serializers: {
			err: (error: unknown) => describeError(error),
			url: (url: unknown) => redactText(String(url)),
		},
		hooks: {
			logMethod(args, method) {
				method.apply(
					this,
					args.map((arg) => (typeof arg === 'string' ? redactText(arg) : arg)) as Parameters<typeof method>,
				)
			},
		},
	}
	return pino(options, to)
}

/** Lines that are written for a request name its trace. */
function traceOfLine(): { trace_id?: string } {
	const trace = currentTrace()
	return trace ? { trace_id: trace.traceId } : {}
}

function describeError(error: unknown): Record<string, unknown> {
	if (!(error instanceof Error)) return { message: redactText(String(error)) }
	return {
		type: error.name,
		message: redactText(error.message),
		stack: error.stack && redactText(error.stack),
		...(error.cause !== undefined && { cause: describeError(error.cause) }),
	}
}

/** A log that says nothing, for tests. */
export const silentLog: Log = pino({ level: 'silent' })
