import type { OtlpKeyValue } from '@signalbox/contract'
import { toOtlpKeyValues } from '../attribute-text.ts'
import type { ColumnWriter } from '../blocks/column-writer.ts'
import { exceptionType } from '../normalise/exceptions.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { AttributeValue } from '../span-row.ts'
import { AttributeScan } from './attribute-scan.ts'
import { inField, readKeyValue, readText, type WireReader } from './wire-reader.ts'

/** One span as ranges of the body; reused for the next span. */
export class SpanScan {
	readonly attributes: AttributeScan
	readonly traceId = new Range()
	readonly spanId = new Range()
	readonly parentSpanId = new Range()
	readonly traceState = new Range()
	readonly name = new Range()
	readonly message = new Range()
	kind = 0
	status = 0
	/** Positions of the times in the body; -1 if absent. */
	start = -1
	end = -1
	droppedAttributes = 0
	droppedEvents = 0
	droppedLinks = 0
	flags = 0
	private readonly events: Occurrence[] = []
	private readonly links: Link[] = []
	private readonly r: WireReader
	private readonly redactor: Redactor

	constructor(r: WireReader, redactor: Redactor) {
		this.r = r
		this.redactor = redactor
		this.attributes = new AttributeScan(r, redactor)
	}

	/** Reads the span in the reader's current range, in place of the previous one. */
	read(): void {
		this.attributes.reset()
		this.traceId.clear()
		this.spanId.clear()
		this.parentSpanId.clear()
		this.traceState.clear()
		this.name.clear()
		this.message.clear()
		this.kind = this.status = this.droppedAttributes = this.droppedEvents = this.droppedLinks = this.flags = 0
		this.start = this.end = -1
		// Setting an array's length is a call into native code.
		if (this.events.length > 0) this.events.length = 0
		if (this.links.length > 0) this.links.length = 0
		const { r } = this
		const end = r.end
		while (r.position < end) this.readField(r.uint32())
	}

	exceptionType(): string {
		return exceptionType(this.events)
	}

	/**
	 * Its events in OTLP's JSON form, without fields that have their default value; '' if there are none. Findings of redaction are
	 * added to `found`.
	 */
	eventsText(found: Set<string>): string {
		if (this.events.length === 0) return ''
		const events = this.events.map(({ timeNs, name, attributes, droppedAttributes }) => ({
			timeUnixNano: String(timeNs),
			name: name.toWellFormed(),
			...shared(withoutPrivate(name, attributes, this.redactor, found), droppedAttributes),
		}))
		return JSON.stringify(events)
	}

	/** Its links, likewise. */
	linksText(): string {
		if (this.links.length === 0) return ''
		const links = this.links.map(({ traceId, spanId, traceState, attributes, droppedAttributes, flags }) => ({
			traceId,
			spanId,
			...(traceState !== '' && { traceState: traceState.toWellFormed() }),
			...shared(this.redactor.others(attributes), droppedAttributes),
			...(flags !== 0 && { flags }),
		}))
		return JSON.stringify(links)
	}

	private readField(tag: number): void {
		const { r } = this
		switch (tag) {
			case 0x0a:
				this.traceId.read(r)
				break
			case 0x12:
				this.spanId.read(r)
				break
			case 0x1a:
				this.traceState.read(r)
				break
			case 0x22:
				this.parentSpanId.read(r)
				break
			case 0x2a:
				this.name.read(r)
				break
			case 0x30:
				this.kind = r.uint32()
				break
			case 0x39:
				this.start = r.skipBytes(8)
				break
			case 0x41:
				this.end = r.skipBytes(8)
				break
			case 0x4a:
				this.attributes.add()
				break
			case 0x50:
				this.droppedAttributes = r.uint32()
				break
			case 0x5a:
				this.events.push(inField(r, readEvent))
				break
			case 0x60:
				this.droppedEvents = r.uint32()
				break
			case 0x6a:
				this.links.push(inField(r, readLink))
				break
			case 0x70:
				this.droppedLinks = r.uint32()
				break
			case 0x7a:
				inField(r, () => this.readStatus())
				break
			case 0x85:
				this.flags = r.view.getUint32(r.skipBytes(4), true)
				break
			default:
				r.skip(tag)
		}
	}

	private readStatus(): void {
		const { r } = this
		while (r.hasMore()) {
			const tag = r.uint32()
			if (tag === 0x12) this.message.read(r)
			else if (tag === 0x18) this.status = r.uint32()
			else r.skip(tag)
		}
	}
}

/** A length-delimited field of the body. */
export class Range {
	start = 0
	end = 0

	get length(): number {
		return this.end - this.start
	}

	clear(): void {
		this.start = this.end = 0
	}

	read(r: WireReader): void {
		this.start = r.skipField()
		this.end = r.position
	}

	write(column: ColumnWriter, row: number, source: WireReader): void {
		if (this.end > this.start) column.begin(row).utf8(source, this.start, this.end)
	}

	isZero(bytes: Buffer): boolean {
		for (let i = this.start; i < this.end; i++) if (bytes[i] !== 0) return false
		return true
	}
}

function readEvent(r: WireReader): Occurrence {
	const event: Occurrence = { timeNs: 0n, name: '', attributes: [], droppedAttributes: 0 }
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag === 0x09) event.timeNs = r.bytes.readBigUInt64LE(r.skipBytes(8))
		else if (tag === 0x12) event.name = readText(r)
		else if (tag === 0x1a) event.attributes.push(inField(r, readKeyValue))
		else if (tag === 0x20) event.droppedAttributes = r.uint32()
		else r.skip(tag)
	}
	return event
}

function readLink(r: WireReader): Link {
	const link: Link = {
		traceId: '',
		spanId: '',
		traceState: '',
		attributes: [],
		droppedAttributes: 0,
		flags: 0,
	}
	while (r.hasMore()) {
		const tag = r.uint32()
		if (tag === 0x0a) link.traceId = readHex(r)
		else if (tag === 0x12) link.spanId = readHex(r)
		else if (tag === 0x1a) link.traceState = readText(r)
		else if (tag === 0x22) link.attributes.push(inField(r, readKeyValue))
		else if (tag === 0x28) link.droppedAttributes = r.uint32()
		else if (tag === 0x35) link.flags = r.view.getUint32(r.skipBytes(4), true)
		else r.skip(tag)
	}
	return link
}

function readHex(r: WireReader): string {
	const start = r.skipField()
	return r.bytes.toString('hex', start, r.position)
}

/** An event of a span. */
interface Occurrence {
	timeNs: bigint
	name: string
	attributes: [string, AttributeValue][]
	droppedAttributes: number
}

/** A link from a span to another. Ids are in hex, '' if missing. */
interface Link {
	traceId: string
	spanId: string
	traceState: string
	attributes: [string, AttributeValue][]
	droppedAttributes: number
	flags: number
}

/** Events of the GenAI conventions, and what NeMo Guardrails has heard and said. */
const isOfContent = (event: string) => event.startsWith('gen_ai.') || event.startsWith('guardrails.')

/** Such events are content as a whole; in other events, only attributes that hold content are. */
function withoutPrivate(
	name: string,
	attributes: [string, AttributeValue][],
	redactor: Redactor,
	found: Set<string>,
): [string, AttributeValue][] {
	if (!isOfContent(name)) return redactor.attributes(attributes, found)
	return attributes.map(([key, value]) => [key, redactor.content(value, found)])
}

function shared(
	attributes: [string, AttributeValue][],
	dropped: number,
): { attributes?: OtlpKeyValue[]; droppedAttributesCount?: number } {
	return {
		...(attributes.length > 0 && { attributes: toOtlpKeyValues(attributes) }),
		...(dropped !== 0 && { droppedAttributesCount: dropped }),
	}
}
