import type {
	Attributes,
	AttributeValue,
	Link,
	Span,
	SpanContext,
	SpanKind,
	SpanOptions,
	SpanStatus,
	TimeInput,
} from '@opentelemetry/api'
import { nowMs } from './now.ts'

/** A span of our own pipeline, from its start until it is written. */
export class OwnSpan implements Span {
	readonly kind: SpanKind
	readonly parentSpanId: string
	readonly startMs: number
	readonly attributes: Attributes
	readonly links: Link[]
	name: string
	status: SpanStatus = { code: 0 }
	endMs = 0
	readonly #context: SpanContext
	readonly #onEnd: (span: OwnSpan) => void

	constructor(
		name: string,
		context: SpanContext,
		parentSpanId: string,
		options: SpanOptions,
		onEnd: (span: OwnSpan) => void,
	) {
		this.name = name
		this.kind = options.kind ?? 0
		this.parentSpanId = parentSpanId
		this.attributes = { ...options.attributes }
		this.links = [...(options.links ?? [])]
		this.startMs = nowMs()
		this.#context = context
		this.#onEnd = onEnd
	}

	spanContext(): SpanContext {
		return this.#context
	}

	setAttribute(key: string, value: AttributeValue): this {
		this.attributes[key] = value
		return this
	}

	setAttributes(attributes: Attributes): this {
		Object.assign(this.attributes, attributes)
		return this
	}

	/** Discarded: what we observe has no events. */
	addEvent(): this {
		return this
	}

	addLink(link: Link): this {
		this.links.push(link)
		return this
	}

	addLinks(links: Link[]): this {
		this.links.push(...links)
		return this
	}

	setStatus(status: SpanStatus): this {
		this.status = status
		return this
	}

	updateName(name: string): this {
		this.name = name
		return this
	}

	end(_endTime?: TimeInput): void {
		if (this.endMs !== 0) return
		this.endMs = nowMs()
		this.#onEnd(this)
	}

	isRecording(): boolean {
		return this.endMs === 0
	}

	recordException(): void {}
}
