/** The instance's own keys. */
export interface InstanceKeyTables {
	/** Keys that must outlive a master key, each sealed by it. */
	instance_keys: { id: string; sealed_value: string; created_at: number }
	/** How far the store's secrets have been sealed anew, by the id of the master key that seals them. */
	master_key_rotations: {
		/** Key id of the new master key. */
		id: string
		/** running | done */
		state: string
		/** Secrets sealed anew, of `total` that were sealed by another key at the start. */
		done: number
		total: number
		/** Why it does not go on, or null. */
		error: string | null
		started_at: number
		finished_at: number | null
	}
}
