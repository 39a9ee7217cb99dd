/* SPDX-License-Identifier: MIT */
#include "fmiPlatformTypes.h"
