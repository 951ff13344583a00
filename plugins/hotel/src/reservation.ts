import {
  type BaseRow,
  type CreateOf,
  type Ctx,
  created,
  domainError,
  f,
  invalid,
  type MoneyValue,
  type PatchOf,
  problem,
  type Req,
  type RowOf,
  resource,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { newToken } from '@storeloom/plugin-sdk/public';
import { giveBackCounter, giveBackNights, holdUntil } from '@storeloom/plugin-sdk/reserve';
import { defineMachine } from '@storeloom/plugin-sdk/state';
import { addMinutes, localInstant } from '@storeloom/plugin-sdk/time';
import { type Account, accountOf, addEntries, entryInput, type FolioEntry, folioEntry } from './folio.ts';
import { changeGuest, findOrMakeGuest, type Guest, guest, guestFields, readable } from './guest.ts';
import { roomNights, todayOf, typeNights } from './nights.ts';
import { settings, zoneOf } from './settings.ts';
import { type NightlyRate, nightsOfStay, takeStay } from './stay.ts';
