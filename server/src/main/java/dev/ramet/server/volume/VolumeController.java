// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.volume;

import dev.ramet.api.volume.CreateVolume;
import dev.ramet.api.volume.VolumeInfo;
import dev.ramet.engine.volumes.Volume;
import dev.ramet.engine.volumes.Volumes;
import dev.ramet.server.host.EngineHolder;
import dev.ramet.server.host.EngineLookup;
import dev.ramet.server.http.FieldValidation;
import dev.ramet.server.http.JsonBody;
import dev.ramet.server.operation.OperationRequest;
import dev.ramet.server.operation.OperationResult;
import dev.ramet.server.operation.OperationRunner;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;

/** Routes for volumes: create, list, get, delete. Their files have a separate controller. */
@Controller("/volumes")
@Tag(name = "volumes")
@ExecuteOn(TaskExecutors.BLOCKING)
final class VolumeController {
  private final EngineHolder engine;
  private final OperationRunner work;

  VolumeController(EngineHolder engine, OperationRunner work) {
    this.engine = engine;
    this.work = work;
  }

  /**
   * Creates an empty volume.
   *
   * @return the volume, and the token for its files
   */
  @Post
  @Status(HttpStatus.CREATED)
  VolumeInfo createVolume(
      HttpRequest<?> http,
      @Body @Nullable @Schema(implementation = CreateVolume.class) String body) {
    CreateVolume request = JsonBody.read(body, CreateVolume.class);
    String name = FieldValidation.name("name", FieldValidation.required("name", request.name()));
    return work.runOnce(
            OperationRequest.from(http, "volume.create", name, body),
            JsonBody.reader(VolumeInfo.class),
            (operation, listener) -> {
              Volume made = volumes().create(name, listener);
              return OperationResult.created(withToken(made), made.id());
            },
            ids ->
                EngineLookup.volume(engine, ids)
                    .map(v -> OperationResult.created(withToken(v), v.id())))
        .body();
  }

  /**
   * Lists all volumes, without their tokens.
   *
   * @return the volumes, oldest first
   */
  @Get
  List<VolumeInfo> listVolumes() {
    return volumes().list().stream()
        .map(volume -> new VolumeInfo(volume.id(), volume.name(), null, null))
        .toList();
  }

  /**
   * Returns a volume.
   *
   * @param id the volume
   * @return the volume, and the token for its files
   */
  @Get("/{id}")
  VolumeInfo getVolume(@PathVariable String id) {
    return withToken(volumes().get(id));
  }

  /**
   * Deletes a volume with all its files. A volume that a running or paused sandbox mounts cannot be
   * deleted.
   *
   * @param id the volume
   */
  @Delete("/{id}")
  @Status(HttpStatus.NO_CONTENT)
  void deleteVolume(HttpRequest<?> http, @PathVariable String id) {
    work.run(
        OperationRequest.from(http, "volume.delete", volumes().get(id).id(), null),
        operation -> {
          volumes().delete(id);
          return id;
        });
  }

  private static VolumeInfo withToken(Volume volume) {
    return new VolumeInfo(volume.id(), volume.name(), volume.token(), null);
  }

  private Volumes volumes() {
    return engine.get().volumes();
  }
}
