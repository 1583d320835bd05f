export { type BackupSource, createBackup } from './create-backup.ts'
export { type BackupManifest, BackupRefused } from './manifest.ts'
export { type RestoreTarget, refuseHalfRestored, restoreBackup } from './restore-backup.ts'
export { summarise, verifyBackup } from './verify-backup.ts'
