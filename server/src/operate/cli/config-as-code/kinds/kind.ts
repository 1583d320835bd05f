import type { Client } from '../../../client/client.ts'
import type { EntryOf, Section } from '../file-schema.ts'
import type { ReferenceTo, Secrets } from '../secrets.ts'

/** The fields of an object in comparable form: lists sorted, defaults filled in. */
export type Fields = Readonly<Record<string, unknown>>

/** An object on the instance. */
export interface ExistingObject {
	id: string
	/** Its name in the file. */
	name: string
	fields: Fields
	/** True for a setting of the instance that the workspace has not replaced: it is neither exported nor deleted. */
	isDefault?: boolean
}

/** What a step needs, such as other objects by the names that the file gives them. */
export interface Context {
	client: Client
	secrets: Secrets
	/** Ids by name of the objects that exist now. */
	ids: Record<Section, Map<string, string>>
	/** Secrets that the instance generated and will not show again. */
	shownOnce: { section: Section; name: string; secret: string }[]
	/** A new key for each change, so that a repeated request is performed once. */
	newIdempotencyKey(): string
}

/** How the objects of one section are read, compared and changed. */
/** The result of creating or changing an object; kinds without warnings return nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: most kinds return nothing.
type Made = { warnings: readonly string[] } | void

export interface Kind<S extends Section = Section> {
	section: S
	/** The noun for one object in messages. */
	noun: string
	nameOf(entry: EntryOf<S>): string
	/** `undefined` marks a field that the entry does not change. */
	fieldsOf(entry: EntryOf<S>): Fields
	read(context: Context): Promise<ExistingObject[]>
	/** Omits fields that have their default, unless a missing field changes nothing; secrets become references. */
	toEntry(existing: ExistingObject, referenceTo: ReferenceTo): EntryOf<S>
	/** `create` and `change` return the instance's warnings about parts of the object that have no effect now. */
	create(context: Context, entry: EntryOf<S>): Promise<Made>
	update(
		context: Context,
		existing: ExistingObject,
		entry: EntryOf<S>,
		changed: ReadonlySet<string>,
	): Promise<Made>
	remove(context: Context, existing: ExistingObject): Promise<void>
	/** Fields whose values are secrets, which cannot be compared. */
	secretFields?: readonly string[]
	/** Texts that contain references and are needed by a step; `changed` is null for a new object. */
	secretsFor?(entry: EntryOf<S>, changed: ReadonlySet<string> | null): string[]
	/** Whether the stored secret is known to differ. */
	hasOtherSecret?(existing: ExistingObject, entry: EntryOf<S>, secrets: Secrets): boolean
	/** Why an existing object cannot be changed to match the entry. */
	refusal?(existing: ExistingObject, entry: EntryOf<S>): string | null
}

/** Idempotency header for a request that creates an object. */
export function once(context: Context): { 'idempotency-key': string } {
	return { 'idempotency-key': context.newIdempotencyKey() }
}

/** The id of an object that the plan ensures to exist. */
export function idOf(context: Context, section: Section, name: string): string {
	const id = context.ids[section].get(name)
	if (id === undefined) throw new Error(`There is no ${name} among the ${section} any more; run it again.`)
	return id
}

/** An address in the form in which the instance keeps it, so that another spelling of the same is no difference. */
export function withoutSpelling(url: string): string {
	return URL.canParse(url) ? new URL(url).href : url
}

/** The fields of an object that have a value. */
export function withoutUndefined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
	const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
	return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}
