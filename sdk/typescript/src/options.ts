/** Whether arguments, results or both are kept; what is kept is redacted and cut. */
export interface Capture {
	arguments?: boolean
	results?: boolean
	/** Of one value, in characters of JSON. Default 8192. */
	maxLength?: number
}

/** Everything may also come from the environment: option, then `SIGNALBOX_SDK_*`, then `OTEL_*`, then the default. */
export interface Options {
	/** Address of the platform, e.g. `https://signalbox.example.com`. Without one, and without an application's own providers, nothing is sent. */
	endpoint?: string
	/** An ingest token of the platform. */
	token?: string
	/** Default: the name that the server tells its clients. */
	serviceName?: string
	serviceVersion?: string
	/** Name of the agent that a client works for; servers that are instrumented see it too. */
	agent?: string
	/** Default: nothing. `true` is both. */
	capture?: boolean | Capture
	/** Names of attributes: those of the current conventions, or those from before tools moved to `gen_ai.*`. */
	conventions?: 'current' | 'earlier'
	/** `auto`: the application's OpenTelemetry providers if it has any. `own`: always the pipeline of this package. */
	pipeline?: 'auto' | 'own'
	/** Gets what goes wrong inside, a sentence at a time. Default: nobody. */
	log?: (message: string) => void
}

/** What an instrumented server or client is observed with. */
export interface Handle {
	/** Sends what waits; resolves when it is sent or given up, after 1 s at the latest. Never rejects. */
	flush(): Promise<void>
	/** Ends the observation of this server or client and sends what waits. Never rejects. */
	shutdown(): Promise<void>
	/** Counts of the pipeline since it started; zeros where the application's providers are used. */
	stats(): Stats
	/** What is wrong with the configuration, as sentences. */
	readonly problems: readonly string[]
}

/** Spans; each that ended is in exactly one of the last four. */
export interface Stats {
	ended: number
	/** The endpoint has taken them. */
	sent: number
	/** There was no room, or time was up. */
	dropped: number
	/** The endpoint does not want them. */
	refused: number
	waiting: number
}
