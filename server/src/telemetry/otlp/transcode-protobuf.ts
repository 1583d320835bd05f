import { type SpanBlockWriter, spanBlockWriter } from '../blocks/span-block.ts'
import { type Mapped, mapAttributes, mapPlain } from '../normalise/map-attributes.ts'
import { type Redactor, redactorOf } from '../redaction/redactor.ts'
import type { RowWriter } from '../row-writer.ts'
import type { SpanRow } from '../span-row.ts'
import {
	checkTime,
	type Decoded,
	type DecodeOptions,
	ExpandsTooFar,
	Rejected,
	type Rejections,
	reasons,
} from './decoded.ts'
import {
	newOrigin,
	noScope,
	noSender,
	type Origin,
	originOf,
	remembered,
	type Scope,
	type Sender,
} from './origin.ts'
import { SpanScan } from './span-scan.ts'
import { inField, joinedParts, Malformed, readKeyValue, readText, WireReader } from './wire-reader.ts'

/** The statuses by OTLP's code; an unknown code counts as unset. */
const statuses: readonly SpanRow['status'][] = ['unset', 'ok', 'error']
/** Times in nanoseconds are inexact as floats; their error is less than this. */
const inexactNs = 4096
/** The size of the rows is checked after every this many rows. */
const weighEvery = 16

/**
 * Converts an `ExportTraceServiceRequest` to a block of rows in one pass, without an object per span: most bytes are copied from
 * the body to their column. Throws `Malformed` where the framing is broken; an error inside a span rejects that span.
 */
export function transcodeProtobuf(body: Buffer, options: DecodeOptions): Decoded {
	return new Transcoder(body, options).run()
}

class Transcoder {
	private readonly r: WireReader
	private readonly w: SpanBlockWriter = spanBlockWriter()
	private readonly redactor: Redactor
	private readonly span: SpanScan
	private readonly options: DecodeOptions
	private readonly rejections: Rejections = {}
	private readonly found: Set<string> = new Set()
	/** Times between these are certainly accepted, even though they are known only to about a microsecond. */
	private readonly surelyKept: readonly [after: number, before: number]

	constructor(body: Buffer, options: DecodeOptions) {
		this.r = new WireReader(body)
		this.redactor = redactorOf(options.rules)
		this.span = new SpanScan(this.r, this.redactor)
		this.options = options
		const { oldestNs, newestNs } = options
		this.surelyKept = [Number(oldestNs) + inexactNs, Math.min(Number(newestNs), 2 ** 63) - inexactNs]
	}

	run(): Decoded {
		this.eachField(0x0a, () => this.readResourceSpans())
		const { block } = this.w
		const count = block.rows
		if (block.bytes > this.options.maxRowsBytes) throw new ExpandsTooFar()
		return { rows: block.take(), count, rejections: this.rejections }
	}

	/** Calls `read` for each field with this tag in the reader's current message. */
	private eachField(wanted: number, read: () => void): void {
		const { r } = this
		while (r.hasMore()) {
			const tag = r.uint32()
			if (tag === wanted) inField(r, read)
			else r.skip(tag)
		}
	}

	/** Fields may be in any order, so what the spans share is located before the spans are read. */
	private readResourceSpans(): void {
		const { r } = this
		const start = r.position
		let sender = noSender
		let parts = 0
		let schemaUrl = ''
		while (r.hasMore()) {
			const tag = r.uint32()
			if (tag === 0x0a) {
				sender = inField(r, readSender)
				parts++
			} else if (tag === 0x1a) schemaUrl = readText(r)
			else r.skip(tag)
		}
		if (parts > 1) sender = readSender(joinedParts(r, start, 0x0a))
		r.enter(start, r.end)
		this.eachField(0x12, () => this.readScopeSpans(sender, schemaUrl))
	}

	private readScopeSpans(sender: Sender, resourceSchemaUrl: string): void {
		const { r } = this
		const start = r.position
		let scope = noScope
		let parts = 0
		let schemaUrl = ''
		while (r.hasMore()) {
			const tag = r.uint32()
			if (tag === 0x0a) {
				scope = inField(r, readScope)
				parts++
			} else if (tag === 0x1a) schemaUrl = readText(r)
			else r.skip(tag)
		}
		if (parts > 1) scope = readScope(joinedParts(r, start, 0x0a))
		r.enter(start, r.end)
		const origin = this.redactor.hasKeyRules
			? newOrigin(this.redacted(sender), resourceSchemaUrl, this.redacted(scope), schemaUrl)
			: originOf(sender, resourceSchemaUrl, scope, schemaUrl)
		this.eachField(0x12, () => this.readSpan(origin))
	}

	private redacted<T extends Sender>(sent: T): T {
		return { ...sent, attributes: this.redactor.others(sent.attributes) }
	}

	private readSpan(origin: Origin): void {
		const { block } = this.w
		try {
			this.span.read()
			this.writeRow(origin)
			block.rows++
		} catch (error) {
			if (!(error instanceof Rejected || error instanceof Malformed)) throw error
			block.rollBack()
			this.rejections[error.message] = (this.rejections[error.message] ?? 0) + 1
		}
		if (block.rows % weighEvery === 0 && block.bytes > this.options.maxRowsBytes) throw new ExpandsTooFar()
	}

	private writeRow(origin: Origin): void {
		const { w, span } = this
		const { columns: c } = w
		const row = w.block.rows
		const { bytes } = this.r
		this.checkIds()
		this.checkStart()
		this.status = statuses[span.status] ?? 'unset'
		const columns = this.mapped(origin)
		const { found } = this
		if (found.size > 0) found.clear()
		const message = this.statusMessage()
		const events = span.eventsText(found)
		w.keep(this.options.workspaceId, this.options.retentionDays)
		c.started_at.begin(row).bytes(this.r, span.start, span.start + 8)
		this.writeDuration(c.duration_ns.begin(row))
		c.trace_id.begin(row).bytes(this.r, span.traceId.start, span.traceId.end)
		c.span_id.begin(row).bytes(this.r, span.spanId.start, span.spanId.end)
		const { parentSpanId } = span
		if (parentSpanId.length === 8 && !parentSpanId.isZero(bytes))
			c.parent_span_id.begin(row).bytes(this.r, parentSpanId.start, parentSpanId.end)
		span.traceState.write(c.trace_state, row, this.r)
		if (this.redactor.hasKeyRules) c.name.text(row, this.textOf(span.name))
		else span.name.write(c.name, row, this.r)
		const otlpKind = span.kind > 0 && span.kind <= 5 ? span.kind : 0
		if (otlpKind > 0) c.otlp_kind.begin(row).byte(otlpKind)
		c.source.text(row, 'otlp')
		c.status.text(row, columns.status)
		if (message === null) span.message.write(c.status_message, row, this.r)
		else c.status_message.text(row, message)
		w.place(origin)
		w.subject(columns)
		span.attributes.write(row, c.attributes, c.attribute_types, found)
		const by = { source: 'otlp', otlpKind, serviceName: origin.serviceName } as const
		w.viewKeys(columns, by, span.attributes.keyed)
		c.events.text(row, events)
		c.links.text(row, span.linksText())
		c.dropped_attributes.uint32(row, span.droppedAttributes)
		c.dropped_events.uint32(row, span.droppedEvents)
		c.dropped_links.uint32(row, span.droppedLinks)
		c.flags.uint32(row, span.flags)
	}

	private mapped(origin: Origin): Mapped {
		const { hot, describesOperation } = this.span.attributes
		if (describesOperation) return mapAttributes(hot, origin.facts, this)
		origin.plain = mapPlain(hot, origin.facts, this, origin.plain)
		return origin.plain
	}

	/** Start of the span being written. */
	get startNs(): bigint {
		return this.r.view.getBigUint64(this.span.start, true)
	}

	get otlpKind(): number {
		return this.span.kind
	}

	status: SpanRow['status'] = 'unset'

	readonly exception = (): string => this.redactor.text(this.span.exceptionType())

	/** Name of the span being written. */
	readonly name = (): string => this.textOf(this.span.name)

	private textOf({ start, end }: SpanScan['name']): string {
		return this.redactor.text(this.r.bytes.toString('utf8', start, end))
	}

	/** The redacted status message; null if it is written unchanged, which is the usual case. */
	private statusMessage(): string | null {
		const { start, end, length } = this.span.message
		if (length === 0) return null
		return this.redactor.message(this.r.bytes.toString('utf8', start, end), this.found)
	}

	private checkIds(): void {
		const { traceId, spanId, parentSpanId } = this.span
		const { bytes } = this.r
		if (traceId.length !== 16 || traceId.isZero(bytes)) throw new Rejected(reasons.traceId)
		if (spanId.length !== 8 || spanId.isZero(bytes)) throw new Rejected(reasons.spanId)
		if (parentSpanId.length !== 8 && parentSpanId.length !== 0) throw new Rejected(reasons.parentSpanId)
	}

	/** Avoids 64-bit bigints, which are objects, where the result is certain. */
	private checkStart(): void {
		const { start } = this.span
		const [after, before] = this.surelyKept
		const { view } = this.r
		const aboutNs = start < 0 ? 0 : view.getUint32(start + 4, true) * 2 ** 32 + view.getUint32(start, true)
		if (aboutNs > after && aboutNs < before) return
		checkTime(start < 0 ? 0n : this.startNs, this.options, 'start_time_unix_nano')
	}

	/** A span that ends before it starts, or has no end, has duration 0. */
	private writeDuration(w: RowWriter): void {
		const { view } = this.r
		const { start, end } = this.span
		if (end < 0) return void w.count(0)
		const high = view.getUint32(end + 4, true) - view.getUint32(start + 4, true)
		// The lower halves come first: their difference is exact, while a sum beyond 2^53 would be rounded before it is reduced.
		const ns = view.getUint32(end, true) - view.getUint32(start, true) + high * 2 ** 32
		if (ns < 2 ** 53) w.count(Math.max(0, ns))
		else w.uint64(view.getBigUint64(end, true) - this.startNs)
	}
}

const readSender = remembered((r): Sender => {
	const sender: Sender = { attributes: [], dropped: 0 }
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag === 0x0a) sender.attributes.push(inField(r, readKeyValue))
		else if (tag === 0x10) sender.dropped = r.uint32()
		else r.skip(tag)
	}
	return sender
})

const readScope = remembered((r): Scope => {
	const scope: Scope = { ...noScope, attributes: [] }
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag === 0x0a) scope.name = readText(r)
		else if (tag === 0x12) scope.version = readText(r)
		else if (tag === 0x1a) scope.attributes.push(inField(r, readKeyValue))
		else if (tag === 0x20) scope.dropped = r.uint32()
		else r.skip(tag)
	}
	return scope
})
