/** Whether arguments, results or both are captured; captured values are redacted and truncated. */
export interface Capture {
	arguments?: boolean
	results?: boolean
	/** Per value, in characters of JSON. Default: 8192. */
	maxLength?: number
}

/** Everything can also be set in the environment. Precedence: option, `SIGNALBOX_SDK_*`, `OTEL_*`, default. */
export interface Options {
	/** Address of the platform, e.g. `https://signalbox.example.com`. Without one, and without an application's own providers, nothing is sent. */
	endpoint?: string
	/** An ingest token of the platform. */
	token?: string
	/** Default: the name that the server reports to its clients. */
	serviceName?: string
	serviceVersion?: string
	/** Name of the agent for which a client works; instrumented servers receive it too. */
	agent?: string
	/** Default: nothing. `true` means both. */
	capture?: boolean | Capture
	/** Attribute names: those of the current conventions, or those from before tools moved to `gen_ai.*`. */
	conventions?: 'current' | 'earlier'
	/** `auto`: the application's OpenTelemetry providers if it has any. `own`: always the pipeline of this package. */
	pipeline?: 'auto' | 'own'
	/** Receives problems of the SDK, one sentence at a time. Default: none. */
	log?: (message: string) => void
}

/** Controls the observation of an instrumented server or client. */
export interface Handle {
	/** Sends pending spans; resolves when they are sent or given up, after 1 s at the latest. Never rejects. */
	flush(): Promise<void>
	/** Ends the observation of this server or client and sends pending spans. Never rejects. */
	shutdown(): Promise<void>
	/** Counts of the pipeline since it started; zeros if the application's providers are used. */
	stats(): Stats
	/** Problems of the configuration, as sentences. */
	readonly problems: readonly string[]
}

/** Spans; each that ended is in exactly one of the last four. */
export interface Stats {
	ended: number
	/** Accepted by the endpoint. */
	sent: number
	/** Dropped because the queue was full, or time was up. */
	dropped: number
	/** Refused by the endpoint. */
	refused: number
	waiting: number
}
