import { writeAttributes, writeLedger, writeSubject } from '../encode-row.ts'
import { mapAttributes } from '../normalise/map-attributes.ts'
import { type Redactor, redactorOf } from '../redaction/redactor.ts'
import { RowWriter } from '../row-writer.ts'
import { inField, readKeyValue, readText } from './any-value.ts'
import { checkTime } from './check-time.ts'
import { type Decoded, type DecodeOptions, ExpandsTooFar } from './decoded.ts'
import { newOrigin, noScope, noSender, type Origin, type Scope, type Sender } from './origin.ts'
import { Rejected, type Rejections, reasons } from './rejections.ts'
import { type Range, SpanScan } from './span-scan.ts'
import { statusOf } from './span-status.ts'
import { Malformed, WireReader } from './wire-reader.ts'

const sharedWriter = new RowWriter(1024 * 1024)
const zeroes = Buffer.alloc(16)

/**
 * Turns an `ExportTraceServiceRequest` into rows in one pass, without an object per span: most bytes are copied from
 * the body to their column. Throws `Malformed` where the framing is broken; what is wrong inside a span rejects that span.
 */
export function transcodeProtobuf(body: Buffer, options: DecodeOptions): Decoded {
	return new Transcoder(body, options).run()
}

/** An origin in the form of its columns. */
interface EncodedOrigin {
	origin: Origin
	/** service_name, scope_name, scope_version. */
	names: Buffer
	/** resource, resource_types. */
	resource: Buffer
	/** resource_schema_url, scope_schema_url. */
	schemaUrls: Buffer
}

class Transcoder {
	private readonly r: WireReader
	private readonly w = sharedWriter
	private readonly redactor: Redactor
	private readonly span: SpanScan
	private readonly options: DecodeOptions
	/** workspace_id, retention_days. */
	private readonly keeper: Buffer
	private readonly rejections: Rejections = {}
	private count = 0
	/** Of the span that is written. */
	startNs = 0n
	private readonly found: Set<string> = new Set()

	constructor(body: Buffer, options: DecodeOptions) {
		this.r = new WireReader(body)
		this.redactor = redactorOf(options.rules)
		this.span = new SpanScan(this.r, this.redactor)
		this.options = options
		this.keeper = encoded((w) => {
			w.text(options.workspaceId)
			w.uint16(options.retentionDays)
		})
	}

	run(): Decoded {
		this.w.reset()
		this.eachField(0x0a, () => this.readResourceSpans())
		return { rows: this.w.take(), count: this.count, rejections: this.rejections }
	}

	/** Calls `read` inside each field with this tag of the message that fills the reader. */
	private eachField(wanted: number, read: () => void): void {
		const { r } = this
		while (r.hasMore()) {
			const tag = r.uint32()
			if (tag === wanted) inField(r, read)
			else r.skip(tag)
		}
	}

	/** Fields may come in any order, so what the spans share is looked for before the spans are read. */
	private readResourceSpans(): void {
		const { r } = this
		const start = r.position
		let sender = noSender
		let schemaUrl = ''
		while (r.hasMore()) {
			const tag = r.uint32()
			if (tag === 0x0a) sender = inField(r, () => readSender(r))
			else if (tag === 0x1a) schemaUrl = readText(r)
			else r.skip(tag)
		}
		r.enter(start, r.end)
		this.eachField(0x12, () => this.readScopeSpans(sender, schemaUrl))
	}

	private readScopeSpans(sender: Sender, resourceSchemaUrl: string): void {
		const { r } = this
		const start = r.position
		let scope = noScope
		let schemaUrl = ''
		while (r.hasMore()) {
			const tag = r.uint32()
			if (tag === 0x0a) scope = inField(r, () => readScope(r))
			else if (tag === 0x1a) schemaUrl = readText(r)
			else r.skip(tag)
		}
		r.enter(start, r.end)
		const { redactor } = this
		const redacted = { ...scope, attributes: redactor.others(scope.attributes) }
		const resource = { ...sender, attributes: redactor.others(sender.attributes) }
		const origin = encodeOrigin(newOrigin(resource, resourceSchemaUrl, redacted, schemaUrl))
		this.eachField(0x12, () => this.readSpan(origin))
	}

	private readSpan(origin: EncodedOrigin): void {
		const rowStart = this.w.position
		try {
			this.span.read()
			this.writeRow(origin)
			this.count++
		} catch (error) {
			if (!(error instanceof Rejected || error instanceof Malformed)) throw error
			this.w.position = rowStart
			this.rejections[error.message] = (this.rejections[error.message] ?? 0) + 1
		}
		if (this.w.position > this.options.maxRowsBytes) throw new ExpandsTooFar()
	}

	private writeRow({ origin, names, resource, schemaUrls }: EncodedOrigin): void {
		const { w, span } = this
		const { bytes } = this.r
		this.checkIds()
		const startNs = this.readStart()
		this.startNs = startNs
		const columns = mapAttributes(span.attributes.hot, origin.facts, this)
		const { found } = this
		found.clear()
		const message = this.statusMessage()
		const events = span.eventsText(found)
		w.raw(this.keeper)
		w.int64(startNs)
		w.uint64(this.readDuration(startNs))
		w.raw(bytes, span.traceId.start, span.traceId.end)
		w.raw(bytes, span.spanId.start, span.spanId.end)
		if (span.parentSpanId.length === 8) w.raw(bytes, span.parentSpanId.start, span.parentSpanId.end)
		else w.raw(zeroes, 0, 8)
		span.traceState.writeText(w, bytes)
		this.writeText(span.name)
		w.byte(span.kind <= 5 ? span.kind : 0)
		w.text('otlp')
		w.text(columns.kind)
		w.text(statusOf(span.status))
		if (message === null) span.message.writeText(w, bytes)
		else w.text(message)
		w.text(columns.errorType)
		w.raw(names)
		writeSubject(w, columns)
		span.attributes.write(w, found)
		w.raw(resource)
		w.text(events)
		w.text(span.linksText())
		w.uint32(span.droppedAttributes)
		w.uint32(span.droppedEvents)
		w.uint32(span.droppedLinks)
		w.uint32(span.flags)
		w.raw(schemaUrls)
		writeLedger(w, columns)
	}

	get otlpKind(): number {
		return this.span.kind
	}

	/** The name of the span that is written. */
	readonly name = (): string => this.textOf(this.span.name)

	private textOf({ start, end }: Range): string {
		return this.redactor.text(this.r.bytes.toString('utf8', start, end))
	}

	/** What is left of a status message; null where it is written as it came, as mostly. */
	private statusMessage(): string | null {
		const { start, end, length } = this.span.message
		if (length === 0) return null
		return this.redactor.message(this.r.bytes.toString('utf8', start, end), this.found)
	}

	/** Copies a text, or writes what is left of it. */
	private writeText(range: Range): void {
		const { w, redactor } = this
		const { bytes } = this.r
		if (!redactor.hasKeyRules) range.writeText(w, bytes)
		else w.text(this.textOf(range))
	}

	private checkIds(): void {
		const { traceId, spanId, parentSpanId } = this.span
		const { bytes } = this.r
		if (traceId.length !== 16 || traceId.isZero(bytes)) throw new Rejected(reasons.traceId)
		if (spanId.length !== 8 || spanId.isZero(bytes)) throw new Rejected(reasons.spanId)
		if (parentSpanId.length !== 8 && parentSpanId.length !== 0) throw new Rejected(reasons.parentSpanId)
	}

	private readStart(): bigint {
		const { start } = this.span
		const startNs = start < 0 ? 0n : this.r.bytes.readBigUInt64LE(start)
		checkTime(startNs, this.options, 'start_time_unix_nano')
		return startNs
	}

	/** A span that ends before it starts, or says no end, lasts 0. */
	private readDuration(startNs: bigint): bigint {
		const { end } = this.span
		const endNs = end < 0 ? 0n : this.r.bytes.readBigUInt64LE(end)
		return endNs > startNs ? endNs - startNs : 0n
	}
}

function readSender(r: WireReader): Sender {
	const sender: Sender = { attributes: [], dropped: 0 }
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag === 0x0a) sender.attributes.push(inField(r, () => readKeyValue(r)))
		else if (tag === 0x10) sender.dropped = r.uint32()
		else r.skip(tag)
	}
	return sender
}

function readScope(r: WireReader): Scope {
	const scope: Scope = { ...noScope, attributes: [] }
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag === 0x0a) scope.name = readText(r)
		else if (tag === 0x12) scope.version = readText(r)
		else if (tag === 0x1a) scope.attributes.push(inField(r, () => readKeyValue(r)))
		else if (tag === 0x20) scope.dropped = r.uint32()
		else r.skip(tag)
	}
	return scope
}

function encodeOrigin(origin: Origin): EncodedOrigin {
	return {
		origin,
		names: encoded((w) => {
			w.text(origin.facts.serviceName)
			w.text(origin.scopeName)
			w.text(origin.scopeVersion)
		}),
		resource: encoded((w) => writeAttributes(w, origin.resource)),
		schemaUrls: encoded((w) => {
			w.text(origin.resourceSchemaUrl)
			w.text(origin.scopeSchemaUrl)
		}),
	}
}

const scratch = new RowWriter()

function encoded(write: (w: RowWriter) => void): Buffer {
	scratch.reset()
	write(scratch)
	return scratch.take()
}
