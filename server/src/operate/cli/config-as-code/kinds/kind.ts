import type { Client } from '../../../client/client.ts'
import type { EntryOf, Section } from '../file-schema.ts'
import type { Secrets } from '../secrets.ts'

/** Fields of an object in a form that can be compared: lists sorted, defaults filled in. */
export type Fields = Readonly<Record<string, unknown>>

/** An object as the instance has it. */
export interface Existing {
	id: string
	/** What the file calls it by. */
	name: string
	fields: Fields
}

/** What a step needs: other objects by the names that the file has for them. */
export interface Context {
	client: Client
	secrets: Secrets
	/** Ids by name, of objects that exist now. */
	ids: Record<Section, Map<string, string>>
	/** Secrets that the instance made and will not show again. */
	shownOnce: { section: Section; name: string; secret: string }[]
	/** One for each change, so that a request that is sent again is done once. */
	newIdempotencyKey(): string
}

/** How the objects of one section are read, compared and changed. */
/** Of an object that was made or changed; kinds without warnings answer nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: what most kinds answer.
type Made = { warnings: readonly string[] } | void

export interface Kind<S extends Section = Section> {
	section: S
	/** What messages call one of them. */
	noun: string
	nameOf(entry: EntryOf<S>): string
	/** `undefined` stands for a field that the entry leaves as it is. */
	fieldsOf(entry: EntryOf<S>): Fields
	read(context: Context): Promise<Existing[]>
	/** Without fields that have their default; secrets as references. */
	toEntry(existing: Existing): EntryOf<S>
	/** Both answer what of the object has no effect now, as the instance says it. */
	create(context: Context, entry: EntryOf<S>): Promise<Made>
	update(context: Context, existing: Existing, entry: EntryOf<S>, changed: ReadonlySet<string>): Promise<Made>
	remove(context: Context, existing: Existing): Promise<void>
	/** Fields whose values are secrets, which cannot be compared. */
	secretFields?: readonly string[]
	/** Texts with references that a step needs; `changed` is null for a new object. */
	secretsFor?(entry: EntryOf<S>, changed: ReadonlySet<string> | null): string[]
	/** Whether a stored secret is known to be another one. */
	hasOtherSecret?(existing: Existing, entry: EntryOf<S>, secrets: Secrets): boolean
	/** Why an existing object cannot become what the entry says. */
	refusal?(existing: Existing, entry: EntryOf<S>): string | null
}

/** Header of a request that creates. */
export function once(context: Context): { 'idempotency-key': string } {
	return { 'idempotency-key': context.newIdempotencyKey() }
}

/** The id of an object that the plan has made sure of. */
export function idOf(context: Context, section: Section, name: string): string {
	const id = context.ids[section].get(name)
	if (id === undefined) throw new Error(`There is no ${name} among the ${section} any more; run it again.`)
	return id
}

/** The entries of an object that have a value. */
export function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
	const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
	return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}
